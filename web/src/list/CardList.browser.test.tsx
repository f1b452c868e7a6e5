import { beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { answer, lastAsked, onePage, prepareTestList, rowsOf, show, testList } from '~/testList';

prepareTestList();

describe('a list of cards', () => {
  const bar = page.getByRole('toolbar');
  beforeEach(() => page.viewport(390, 844));

  it('is ordered by every column that the table is ordered by, both ways', async () => {
    const { address } = show();
    await userEvent.click(page.getByRole('button', { name: 'Sort: Name' }));
    await userEvent.click(page.getByRole('menuitem', { name: 'Name, ascending' }));
    await vi.waitFor(() => expect(address()).toMatchObject({ order: 'name', direction: 'ASC', page: 1 }));
    await userEvent.click(page.getByRole('button', { name: 'Reverse the order' }));
    await vi.waitFor(() => expect(lastAsked()).toMatchObject({ order: 'name', direction: 'DESC' }));
  });

  it('offers each order once, those of its own menu first', async () => {
    show('/terms', { ...testList, sortMenu: () => [{ order: 'name', label: 'By name' }] });
    await userEvent.click(page.getByRole('button', { name: 'Sort: By name' }));
    await expect.element(page.getByRole('menuitem').first()).toHaveTextContent('By name, descending');
    expect(page.getByRole('menuitem').elements()).toHaveLength(2);
  });

  it('gives the selected rows to its actions, and forgets them', async () => {
    show();
    await userEvent.click(page.getByRole('checkbox', { name: 'Select beta' }));
    await expect.element(bar).toHaveTextContent('1 row selected');
    await expect.element(bar).toHaveTextContent('beta');
    await userEvent.click(page.getByRole('checkbox', { name: 'Select all rows of this page' }));
    await expect.element(bar).toHaveTextContent('alpha+beta');
    await userEvent.click(page.getByRole('checkbox', { name: 'Select alpha' }));
    await expect.element(bar).toHaveTextContent('1 row selected');
    await userEvent.click(page.getByRole('button', { name: 'Clear the selection' }));
    await expect.element(bar).not.toBeInTheDocument();
    await expect.element(page.getByRole('checkbox', { name: 'Select beta' })).not.toBeChecked();
  });

  it('keeps its actions in sight, wherever the reader is', async () => {
    answer.mockResolvedValue(onePage(rowsOf(...Array.from({ length: 60 }, (_, index) => `row${index}`))));
    show();
    await userEvent.click(page.getByRole('checkbox', { name: 'Select row0' }));
    await expect.element(bar).toBeInViewport();
    page.getByText('row40').element().scrollIntoView();
    await expect.element(bar).toBeInViewport();
  });

  it('has no boxes where nothing can be done with rows', async () => {
    const { bulk: _, ...plain } = testList;
    show('/terms', plain);
    await expect.element(page.getByText('alpha')).toBeVisible();
    expect(page.getByRole('checkbox').elements()).toEqual([]);
  });

  it('hands its selection on to the table when the window grows', async () => {
    show();
    await userEvent.click(page.getByRole('checkbox', { name: 'Select beta' }));
    await page.viewport(1440, 900);
    await expect.element(page.getByRole('row', { name: /beta/ }).getByRole('checkbox')).toBeChecked();
    await expect.element(bar).toHaveTextContent('1 row selected');
  });
});
