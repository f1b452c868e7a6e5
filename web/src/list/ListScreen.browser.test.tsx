import { onlineManager } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { ApiError } from '~/api/errors';
import type { ListSearch } from '~/lib/listSearch';
import { answer, lastAsked, onePage, type Page, prepareTestList, type query, rowsOf, show, testList } from '~/testList';

prepareTestList();

describe('a list screen', () => {
  it('shows a skeleton of 15 rows until the first answer, then rows and counters', async () => {
    let release: (answered: Page) => void = () => {};
    answer.mockReturnValue(new Promise((resolve) => (release = resolve)));
    show();
    const skeleton = page.getByRole('status', { name: 'Loading…' });
    await expect.element(skeleton).toBeVisible();
    expect(skeleton.element().children).toHaveLength(15);
    release(onePage(rowsOf('alpha')));
    await expect.element(page.getByRole('gridcell', { name: 'alpha' })).toBeVisible();
    await expect.element(page.getByText('1 things')).toBeVisible();
  });

  it('takes a chosen order away, where a list has one of its own without', async () => {
    const unsorted = { order: 'name', direction: 'DESC' } as const;
    const sortMenu = () => [{ order: 'name', label: 'Name' }];
    const { address } = show('/terms?page=2', { ...testList, unsorted, sortMenu });
    const remove = page.getByRole('button', { name: 'Remove the order' });
    await expect.element(page.getByRole('button', { name: 'Reverse the order' })).toBeVisible();
    expect(lastAsked()).toMatchObject(unsorted);
    expect(remove.query()).toBeNull();
    await userEvent.click(page.getByRole('button', { name: 'Reverse the order' }));
    await vi.waitFor(() => expect(lastAsked()).toMatchObject({ direction: 'ASC' }));
    await userEvent.click(remove);
    await vi.waitFor(() => expect(address()).toMatchObject({ page: 1, ...unsorted }));
    expect(remove.query()).toBeNull();
  });

  it('sorts a clicked column on the server: upwards, then the other way', async () => {
    const { address } = show('/terms?order="none"');
    await userEvent.click(page.getByText('Name', { exact: true }).first());
    await vi.waitFor(() => expect(lastAsked()).toMatchObject({ order: 'name', direction: 'ASC', page: 1 }));
    await userEvent.click(page.getByText('Name', { exact: true }).first());
    await vi.waitFor(() => expect(address()).toMatchObject({ order: 'name', direction: 'DESC' }));
  });

  it('keeps the order of the server', async () => {
    answer.mockResolvedValue(onePage(rowsOf('zeta', 'alpha', 'mu')));
    show('/terms?order="name"&direction="ASC"');
    await expect.element(page.getByRole('gridcell', { name: 'zeta' })).toBeVisible();
    const cells = page
      .getByRole('gridcell')
      .elements()
      .map((cell) => cell.textContent);
    expect(cells.filter((text) => text && text.length < 6)).toEqual(['zeta', 'alpha', 'mu']);
  });

  it('narrows the page to the rows that hold a typed text', async () => {
    show();
    await userEvent.fill(page.getByRole('searchbox'), 'BET');
    await expect.element(page.getByRole('gridcell', { name: 'beta' })).toBeVisible();
    await expect.element(page.getByRole('gridcell', { name: 'alpha' })).not.toBeInTheDocument();
    await userEvent.fill(page.getByRole('searchbox'), 'nothing');
    await expect.element(page.getByText('No row of this page contains “nothing”.')).toBeVisible();
    expect(answer).toHaveBeenCalledTimes(1);
  });

  it('goes to a neighbouring page only when there is a link', async () => {
    answer.mockResolvedValue(onePage(rowsOf('alpha'), { meta: { total: 90 }, next: '/api/x' }));
    const { address } = show();
    await expect.element(page.getByRole('button', { name: 'Previous page' })).toBeDisabled();
    await userEvent.click(page.getByRole('button', { name: 'Next page' }));
    await vi.waitFor(() => expect(address()).toMatchObject({ page: 2 }));
  });

  it('goes to the last page from one after it', async () => {
    const pages = { meta: { total: 65 }, prev: '/api/x' };
    answer.mockImplementation(async ({ page }) => onePage(page > 3 ? [] : rowsOf(`of ${page}`), pages));
    const { address } = show('/terms?page=99');
    await expect.element(page.getByRole('gridcell', { name: 'of 3' })).toBeVisible();
    expect(address()).toMatchObject({ page: 3 });
  });

  it('tells why a page could not be turned to, where the list says so', async () => {
    answer.mockImplementation(async ({ page }) => {
      if (page === 2) throw new ApiError(503, 'STORE_AWAY', 'The store of actions is away');
      return onePage(rowsOf('alpha'), { meta: { total: 90 }, next: '/api/x' });
    });
    show('/terms', { ...testList, tellsPageFailure: true });
    await userEvent.click(page.getByRole('button', { name: 'Next page' }));
    await expect
      .element(page.getByText('The service is not available for the moment. Try again shortly.'))
      .toBeVisible();
    await expect.element(page.getByText('The research was not successful')).not.toBeInTheDocument();
  });

  it('warns before it shows everything', async () => {
    answer.mockResolvedValue(onePage(rowsOf('alpha'), { meta: { total: 90 } }));
    const { address } = show('/terms?page=2');
    await userEvent.selectOptions(page.getByRole('combobox', { name: 'Rows per page' }), 'all');
    const dialog = page.getByRole('dialog');
    await expect.element(dialog.getByText('Showing all results may slow the page')).toBeVisible();
    expect(lastAsked()?.perPage).toBe(30);
    await userEvent.click(dialog.getByRole('button', { name: 'Show All' }));
    await vi.waitFor(() => expect(address()).toMatchObject({ perPage: 'all', page: 1 }));
  });

  it('says that there is nothing, and resets', async () => {
    answer.mockResolvedValue(onePage([]));
    const { address } = show(`/terms?name=${encodeURIComponent('{"type":"inq","value":["x"]}')}`);
    await expect.element(page.getByText('No result found')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Reset the filters' }));
    await vi.waitFor(() => expect(address()).not.toHaveProperty('name'));
  });

  it('tells too many results from any other failure, and recovers', async () => {
    answer.mockRejectedValue(new ApiError(408, 'TOO_MANY_RESULTS', 'x'));
    show();
    await expect
      .element(page.getByText('We found too many results to display. Refine your search by changing your filters.'))
      .toBeVisible();
    await expect.element(page.getByText('The research was not successful')).toBeVisible();
    cleanup();
    answer.mockRejectedValue(new ApiError(500, 'INTERNAL', 'x'));
    show();
    await expect.element(page.getByText('An error occurred')).toBeVisible();
    answer.mockResolvedValue(onePage(rowsOf('back')));
    await userEvent.click(page.getByRole('button', { name: 'Try again' }));
    await expect.element(page.getByRole('gridcell', { name: 'back' })).toBeVisible();
  });

  it('gives the selected rows to its actions, and forgets them', async () => {
    show();
    await userEvent.click(page.getByRole('row', { name: /beta/ }).getByRole('checkbox'));
    await expect.element(page.getByText('1 row selected')).toBeVisible();
    await userEvent.click(page.getByRole('row', { name: /alpha/ }).getByRole('checkbox'));
    await expect.element(page.getByText(/alpha\+beta|beta\+alpha/)).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Clear the selection' }));
    await expect.element(page.getByText('1 row selected')).not.toBeInTheDocument();
    await expect.element(page.getByRole('row', { name: /beta/ }).getByRole('checkbox')).not.toBeChecked();
  });

  it('acts on no row that is not in sight any more', async () => {
    show();
    await userEvent.click(page.getByRole('row', { name: /beta/ }).getByRole('checkbox'));
    await expect.element(page.getByText('1 row selected')).toBeVisible();
    await userEvent.fill(page.getByRole('searchbox'), 'nothing');
    await expect.element(page.getByText('No row of this page contains “nothing”.')).toBeVisible();
    await userEvent.clear(page.getByRole('searchbox'));
    await expect.element(page.getByRole('row', { name: /beta/ })).toBeVisible();
    await expect.element(page.getByText('1 row selected')).not.toBeInTheDocument();
  });

  it('says while it is offline of when its rows are, and goes on by itself', async () => {
    answer.mockImplementation(async ({ page }) =>
      onePage(rowsOf(`of ${page}`), { meta: { total: 90 }, next: '/api/x' }),
    );
    show();
    await expect.element(page.getByRole('gridcell', { name: 'of 1' })).toBeVisible();
    onlineManager.setOnline(false);
    try {
      await expect.element(page.getByText(/^Rows loaded at \d\d:\d\d$/)).toBeVisible();
      await userEvent.click(page.getByRole('button', { name: 'Next page' }));
      await expect.element(page.getByText(/^Rows loaded at \d\d:\d\d, before the last change/)).toBeVisible();
      expect(document.querySelector('[data-refreshing]')).toBeNull();
    } finally {
      onlineManager.setOnline(true);
    }
    await expect.element(page.getByRole('gridcell', { name: 'of 2' })).toBeVisible();
    await expect.element(page.getByText(/^Rows loaded at/)).not.toBeInTheDocument();
  });

  it('says that it is offline where it has no rows yet', async () => {
    onlineManager.setOnline(false);
    try {
      show();
      await expect.element(page.getByText('You are offline')).toBeVisible();
      expect(page.getByText('No result found').query()).toBeNull();
    } finally {
      onlineManager.setOnline(true);
    }
    await expect.element(page.getByRole('gridcell', { name: 'alpha' })).toBeVisible();
  });

  it('cancels a question that is no longer wanted', async () => {
    const signals: AbortSignal[] = [];
    const queryOf = (search: ListSearch): ReturnType<typeof query> => ({
      queryKey: ['things', search],
      queryFn: ({ signal }) => {
        signals.push(signal);
        return signals.length === 1 ? new Promise(() => {}) : answer(search);
      },
    });
    const name = encodeURIComponent('{"type":"inq","value":["x"]}');
    show(`/terms?name=${name}`, { ...testList, query: queryOf });
    await userEvent.click(page.getByRole('button', { name: 'Remove the filter Name' }));
    await expect.element(page.getByRole('gridcell', { name: 'alpha' })).toBeVisible();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it('removes one filter from the strip and keeps the others', async () => {
    const name = encodeURIComponent('{"type":"inq","value":["x","y"]}');
    const position = encodeURIComponent('{"type":"between","value":{"start":2,"end":4}}');
    const { address } = show(`/terms?page=3&name=${name}&position=${position}`);
    await expect.element(page.getByText('x, y')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Remove the filter Name' }));
    await vi.waitFor(() => expect(Object.keys(address())).not.toContain('name'));
    expect(address()).toMatchObject({ page: 1, position: { type: 'between' } });
  });

  it('saves what is shown 200 ms after the last change', async () => {
    show('/terms?perPage=100');
    await vi.waitFor(() => expect(localStorage.getItem('list:v1:1:/terms')).toContain('"perPage":100'));
  });

  it('becomes cards in a window of 768 px', async () => {
    await page.viewport(768, 900);
    show();
    await expect.element(page.getByRole('article').first()).toHaveTextContent('alpha');
    await expect.element(page.getByRole('grid')).not.toBeInTheDocument();
  });
});
