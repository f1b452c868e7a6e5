import { onlineManager } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { ApiError } from '~/api/errors';
import type { Me } from '~/api/session';
import { i18next, startTexts } from '~/i18n';
import type { ListSearch } from '~/lib/listSearch';
import { renderList } from '~/testing';
import { toast } from '~/ui/toast';
import { OpenAds } from './portal/OpenAds';
import type { FoundOption, ListDef, ListPage, Tools } from './types';

interface Row {
  id: string;
  name: string;
}

type Page = ListPage<Row, { total: number }>;

const me = {
  id: 1,
  email: 'a@vigie.example',
  firstName: 'Demo',
  lastName: 'Administrator',
  roles: [],
} as unknown as Me;
const rowsOf = (...names: string[]): Row[] => names.map((name) => ({ id: name, name }));
const onePage = (rows: Row[], more: Partial<Page> = {}): Page => ({ rows, meta: { total: rows.length }, ...more });

const answer = vi.fn<(search: ListSearch) => Promise<Page>>();
const findBrands = vi.fn<(query: string) => Promise<FoundOption[]>>();

const query: typeof def.query = (search) => ({ queryKey: ['things', search], queryFn: () => answer(search) });

const def: ListDef<Row, { total: number }> = {
  path: '/terms',
  ns: ['common', 'list', 'portal'],
  title: 'Things',
  filters: {
    name: { kind: 'chips', label: 'Name', group: 'All', exclude: true, contain: true },
    brand: { kind: 'asyncChoice', label: 'Brand', group: 'All', search: (query) => findBrands(query), exclude: true },
    device: {
      kind: 'choice',
      label: 'Device',
      group: 'All',
      exclude: true,
      options: [
        { value: 'mobile', label: 'Mobile' },
        { value: 'desktop', label: 'Desktop' },
      ],
    },
    date: { kind: 'dateRange', label: 'Date', group: 'All', quick: true, presets: ['today', 'last7'] },
    position: { kind: 'range', label: 'Position', group: 'All', min: 1, max: 15, step: 1 },
  },
  sorts: ['name'],
  perPage: [30, 100, 'all'],
  defaults: () => ({ page: 1, perPage: 30, order: 'name', direction: 'DESC', filters: {} }),
  columns: () => [{ colId: 'name', headerName: 'Name', field: 'name', width: 200 }],
  query,
  counters: ({ total }) => [{ key: 'things', value: String(total), label: 'things' }],
  total: ({ total }) => total,
  rowName: ({ name }) => name,
  rowText: ({ name }) => name,
  exportName: 'things',
  failure: 'list:researchFailed',
  card: ({ row }) => <article>{row.name}</article>,
  bulk: ({ rows }) => <span>{rows.map(({ name }) => name).join('+')}</span>,
};

const OpenCell = ({ data, context }: { data: Row; context: Tools }) => (
  <OpenAds row={data} title={data.name} tools={context} />
);

/** The same list with ads under its rows. */
const withAds: typeof def = {
  ...def,
  columns: (tools) => [...def.columns(tools), { colId: 'open', headerName: 'Ads', cellRenderer: OpenCell }],
  ads: (row) => ({ title: row.name, search: [['domain', row.name]] }),
};

function show(address = '/terms', list = def) {
  return renderList(list, address, me);
}

const lastAsked = () => answer.mock.calls.at(-1)?.[0];

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await i18next.loadNamespaces(['list', 'common', 'portal', 'market']);
});

beforeEach(async () => {
  await page.viewport(1440, 900);
  localStorage.clear();
  sessionStorage.clear();
  answer.mockReset().mockResolvedValue(onePage(rowsOf('alpha', 'beta')));
  findBrands.mockReset().mockImplementation(async (query) => (query === '' ? [] : [{ value: 7, label: 'Acme' }]));
});

afterEach(() => {
  toast.clear();
  cleanup();
});

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
    show('/terms', { ...def, tellsPageFailure: true });
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
    show(`/terms?name=${name}`, { ...def, query: queryOf });
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
    show('/terms', { ...def, sortMenu: () => [{ order: 'name', label: 'By name' }] });
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
    const { bulk: _, ...plain } = def;
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

describe('the filter panel', () => {
  const open = () => userEvent.click(page.getByRole('button', { name: /^Filters/ }));
  const panel = page.getByRole('dialog', { name: 'Filters' });
  const saveAndClose = () => userEvent.click(panel.getByRole('button', { name: 'save and close' }));

  it('splits a pasted text into values, and changes nothing until it is saved', async () => {
    const { address } = show();
    await open();
    const box = panel.getByRole('combobox', { name: 'Name' });
    await userEvent.click(box);
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'a.example|b.example;c.example\nd.example');
    box.element().dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    await expect.element(panel.getByText('d.example')).toBeVisible();
    expect(address()).not.toHaveProperty('name');
    await saveAndClose();
    const value = ['a.example', 'b.example', 'c.example', 'd.example'];
    await vi.waitFor(() => expect(address()).toMatchObject({ name: { type: 'inq', value } }));
  });

  it('asks the server once after the last key, and keeps the words of what is chosen', async () => {
    const { address } = show();
    await open();
    await userEvent.type(panel.getByRole('combobox', { name: 'Brand' }), 'acm');
    await userEvent.click(panel.getByRole('option', { name: 'Acme' }));
    expect(findBrands.mock.calls.map(([query]) => query)).toEqual(['', 'acm']);
    await saveAndClose();
    await vi.waitFor(() => expect(address()).toMatchObject({ brand: { type: 'inq', value: [7], labels: ['Acme'] } }));
    await expect.element(page.getByRole('list', { name: 'Applied filters' })).toHaveTextContent('Brand');
  });

  it('excludes, and looks for a text', async () => {
    const { address } = show();
    await open();
    await userEvent.click(panel.getByText('contain', { exact: true }));
    await userEvent.fill(panel.getByRole('textbox', { name: 'Name' }), 'shop');
    await saveAndClose();
    await vi.waitFor(() => expect(address()).toMatchObject({ name: { type: 'contain', value: 'shop' } }));
  });

  it('goes on excluding while a field is empty', async () => {
    const { address } = show();
    await open();
    const device = panel.getByRole('radiogroup', { name: 'How to apply Device' });
    await userEvent.click(device.getByText('exclude'));
    await userEvent.click(panel.getByText('Mobile'));
    await userEvent.click(panel.getByText('Mobile'));
    await expect.element(device.getByRole('radio', { name: 'exclude' })).toBeChecked();
    await userEvent.click(panel.getByText('Desktop'));
    const brand = panel.getByRole('radiogroup', { name: 'How to apply Brand' });
    await userEvent.click(brand.getByText('exclude'));
    await expect.element(brand.getByRole('radio', { name: 'exclude' })).toBeChecked();
    await userEvent.type(panel.getByRole('combobox', { name: 'Brand' }), 'acm');
    await userEvent.click(panel.getByRole('option', { name: 'Acme' }));
    await saveAndClose();
    await vi.waitFor(() =>
      expect(address()).toMatchObject({
        device: { type: 'nin', value: ['desktop'] },
        brand: { type: 'nin', value: [7] },
      }),
    );
  });

  it('has one calendar open at most until another is asked for', async () => {
    const date = { kind: 'dateRange', group: 'All', presets: ['today', 'last7'] } as const;
    const filters = { ...def.filters, made: { ...date, label: 'Made' }, sent: { ...date, label: 'Sent' } };
    const { address } = show('/terms', { ...def, filters });
    await open();
    await expect.element(panel.getByRole('table')).toBeVisible();
    expect(panel.getByRole('table').elements()).toHaveLength(1);
    await userEvent.click(panel.getByRole('button', { name: 'Made any date' }));
    await userEvent.click(panel.getByRole('group', { name: 'Made' }).getByRole('button', { name: 'last 7 days' }));
    await expect.element(panel.getByRole('button', { name: 'Made last 7 days' })).toBeVisible();
    await saveAndClose();
    await vi.waitFor(() => expect(address()).toMatchObject({ made: { type: 'between', preset: 'last7' } }));
  });

  it('gives the focus back to what opened it', async () => {
    show();
    await open();
    await expect.element(panel).toBeVisible();
    await userEvent.keyboard('{Escape}');
    await expect.element(panel).not.toBeInTheDocument();
    await expect.element(page.getByRole('button', { name: /^Filters/ })).toHaveFocus();
  });

  it('forgets what was edited when it is closed without saving', async () => {
    const { address } = show();
    await open();
    await userEvent.click(panel.getByRole('button', { name: 'last 7 days' }));
    await userEvent.click(panel.getByRole('button', { name: 'Close', exact: true }));
    await expect.element(panel).not.toBeInTheDocument();
    expect(address()).not.toHaveProperty('date');
  });

  it('applies a quick filter at once', async () => {
    const { address } = show();
    await userEvent.click(page.getByRole('group', { name: 'Quick filters' }).getByRole('button', { name: 'Date' }));
    await userEvent.click(page.getByRole('button', { name: 'last 7 days' }));
    await vi.waitFor(() => expect(address()).toMatchObject({ date: { type: 'between', preset: 'last7' } }));
  });
});

describe('a list with ads under its rows', () => {
  const ads = (name: string) => page.getByRole('region', { name: `Ads of ${name}` });

  beforeEach(() => {
    vi.spyOn(window, 'fetch').mockImplementation(async (input) =>
      (input as Request).url.includes('/count')
        ? Response.json({ countAdvertisement: 0, countShopping: 0, exportCSV: '/api/advertisement/export' })
        : Response.json([]),
    );
  });
  afterEach(() => vi.restoreAllMocks());

  it('opens those of one row at a time, by its magnifier', async () => {
    show('/terms', withAds);
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of alpha' }));
    await expect.element(ads('alpha')).toBeVisible();
    await expect.element(page.getByText('No advertisement')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of beta' }));
    await expect.element(ads('beta')).toBeVisible();
    await expect.element(ads('alpha')).not.toBeInTheDocument();
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of beta' }));
    await expect.element(ads('beta')).not.toBeInTheDocument();
  });

  it('gives them their place under the row, and takes them away by a click beside them', async () => {
    show('/terms', withAds);
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of alpha' }));
    await expect.element(page.getByText('No advertisement')).toBeVisible();
    const edges = (name: string) =>
      page
        .getByRole('row', { name: new RegExp(`select.*${name}`) })
        .element()
        .getBoundingClientRect();
    await vi.waitFor(() => {
      const panel = ads('alpha').element().getBoundingClientRect();
      expect(panel.top).toBeGreaterThanOrEqual(edges('alpha').bottom);
      expect(panel.bottom).toBeLessThanOrEqual(edges('beta').top);
    });
    await userEvent.click(page.getByRole('heading', { level: 1 }));
    await expect.element(ads('alpha')).not.toBeInTheDocument();
  });

  it('is used by keys alone: arrows, Enter, Escape and the slash', async () => {
    show('/terms', withAds);
    await userEvent.click(page.getByRole('gridcell', { name: 'alpha', exact: true }));
    await userEvent.keyboard('{ArrowDown}{Enter}');
    await expect.element(ads('beta')).toBeVisible();
    await expect.element(ads('beta')).toHaveFocus();
    await userEvent.keyboard('{Escape}');
    await expect.element(ads('beta')).not.toBeInTheDocument();
    await expect.element(page.getByRole('gridcell', { name: 'beta', exact: true })).toHaveFocus();
    await userEvent.keyboard('/');
    await expect.element(page.getByRole('searchbox')).toHaveFocus();
    await userEvent.keyboard('a/b');
    await expect.element(page.getByRole('searchbox')).toHaveValue('a/b');
  });

  it('selects rows, never what stands under them', async () => {
    show('/terms', withAds);
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of alpha' }));
    await expect.element(ads('alpha')).toBeVisible();
    await userEvent.click(page.getByRole('columnheader').getByRole('checkbox'));
    await expect.element(page.getByText('2 rows selected')).toBeVisible();
  });

  it('closes them with another question', async () => {
    const { address } = show('/terms?order="none"', withAds);
    await userEvent.click(page.getByRole('button', { name: 'Show the ads of alpha' }));
    await expect.element(ads('alpha')).toBeVisible();
    await userEvent.click(page.getByText('Name', { exact: true }).first());
    await vi.waitFor(() => expect(address()).toMatchObject({ order: 'name' }));
    await expect.element(ads('alpha')).not.toBeInTheDocument();
  });
});

describe('a list with figures beside its rows', () => {
  const asked = vi.fn<(ids: readonly string[]) => void>();
  const withFigures: typeof def = {
    ...def,
    figures: {
      query: (_search, ids) => ({
        queryKey: ['figures', ids],
        queryFn: async () => {
          asked(ids);
          const row = (id: string) => ({ id, days: [], previousViews: 10, capturesWith: 3, captures: 12 });
          return { data: ids.map(row), meta: { previousTotalViews: 100 } };
        },
      }),
      views: () => 15,
      total: () => 100,
    },
  };

  beforeEach(() => void asked.mockReset());

  it('shows the change against the period before and the presence with its denominator', async () => {
    answer.mockResolvedValue(onePage(rowsOf('alpha')));
    show('/terms', withFigures);
    const row = page.getByRole('row', { name: /alpha/ });
    await expect.element(row).toHaveTextContent('+50.0%');
    await expect.element(row).toHaveTextContent('+5.00 pt visibility');
    await expect.element(row).toHaveTextContent('3 / 12');
    await expect.element(page.getByTitle('Seen in 3 of 12 valid captures')).toBeVisible();
  });

  it('shows them on cards too, and asks for those in sight alone', async () => {
    await page.viewport(390, 844);
    answer.mockResolvedValue(onePage(rowsOf(...Array.from({ length: 60 }, (_, index) => `row${index}`))));
    show('/terms', withFigures);
    const card = page.getByRole('listitem').filter({ hasText: /row0(?!\d)/ });
    await expect.element(card).toHaveTextContent('+50.0%');
    await expect.element(card).toHaveTextContent('3 / 12');
    expect(asked).toHaveBeenCalledTimes(1);
    page.getByText('row59').element().scrollIntoView();
    await vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(2));
  });

  it('says that there is nothing to compare with, which is not the same as new', async () => {
    answer.mockResolvedValue(onePage(rowsOf('alpha')));
    const { figures } = withFigures;
    const query: NonNullable<typeof figures>['query'] = () => ({
      queryKey: ['figures', 'first'],
      queryFn: async () => ({
        data: [{ id: 'alpha', days: [], previousViews: null, capturesWith: 3, captures: 12 }],
        meta: { previousTotalViews: null },
      }),
    });
    show('/terms', { ...withFigures, ...(figures && { figures: { ...figures, query } }) });
    await expect.element(page.getByTitle(/^Nothing was seen in the period before/)).toHaveTextContent('–');
  });

  it('asks for the rows in sight alone, and for others when they come into sight', async () => {
    const times = (count: number) => vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(count), { timeout: 10_000 });
    answer.mockResolvedValue(onePage(rowsOf(...Array.from({ length: 200 }, (_, index) => `row${index}`))));
    show('/terms', withFigures);
    await times(1);
    expect(asked.mock.calls[0]?.[0]).toHaveLength(50);
    // The grid comes after the rows.
    const body = await vi.waitFor(
      () => {
        const found = document.querySelector('.ag-body-viewport, .ag-grid-viewport');
        expect(found?.scrollHeight).toBeGreaterThan(44 * 199);
        return found;
      },
      { timeout: 10_000 },
    );
    body?.scrollTo({ top: 44 * 60 });
    await times(2);
    expect(asked.mock.calls[1]?.[0][0]).toBe('row50');
    await expect
      .element(page.getByRole('row', { name: /row60(?!\d)/ }), { timeout: 10_000 })
      .toHaveTextContent('3 / 12');
    // Rows only scrolled past are not requested.
    body?.scrollTo({ top: 44 * 130 });
    body?.scrollTo({ top: 44 * 200 });
    await times(3);
    expect(asked.mock.calls[2]?.[0][0]).toBe('row150');
  });
});

describe('a reader who scrolls', () => {
  const viewport = () => document.querySelector('.ag-grid-viewport') as HTMLElement;
  const bar = () => document.querySelector('.ag-body-vertical-scroll-viewport') as HTMLElement;
  const settled = () =>
    vi.waitFor(() => expect(document.querySelector('.ag-body-vertical-scroll.ag-scrollbar-scrolling')).toBeNull());

  beforeEach(async () => {
    answer.mockResolvedValue(onePage(rowsOf(...Array.from({ length: 200 }, (_, index) => `row${index}`))));
    show();
    await vi.waitFor(() => expect(viewport()?.scrollHeight).toBeGreaterThan(44 * 199), { timeout: 10_000 });
  });

  it('is not thrown back by what the scrollbar tells late', async () => {
    viewport().scrollTo({ top: 1_000 });
    await vi.waitFor(() => expect(bar().scrollTop).toBe(1_000));
    await settled();
    viewport().scrollTo({ top: 2_000 });
    bar().dispatchEvent(new Event('scroll'));
    expect(viewport().scrollTop).toBe(2_000);
    await vi.waitFor(() => expect(bar().scrollTop).toBe(2_000));
  });

  it('may do so by the scrollbar', async () => {
    await vi.waitFor(() => expect(bar().scrollHeight).toBeGreaterThan(44 * 199));
    bar().dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    bar().scrollTo({ top: 500 });
    await vi.waitFor(() => expect(viewport().scrollTop).toBe(500));
    window.dispatchEvent(new PointerEvent('pointerup'));
  });

  it('leaves nothing to be done when all stands still', async () => {
    viewport().scrollTo({ top: 1_000 });
    await vi.waitFor(() => expect(bar().scrollTop).toBe(1_000));
    await settled();
    const timers = vi.spyOn(window, 'setTimeout');
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const asked = timers.mock.calls.length;
    timers.mockRestore();
    expect(asked).toBe(0);
  });
});

describe('saved views', () => {
  const stored = { id: 4, name: 'Ours', path: '/terms', columns: null, shared: true, own: false, owner: 'Ann' };
  const sent = vi.fn<(method: string, body: unknown) => void>();

  beforeEach(() => {
    sent.mockReset();
    vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
      const request = input as Request;
      if (request.method !== 'GET')
        sent(request.method, await request.json().catch(() => new URL(request.url).pathname));
      if (request.method === 'POST') return Response.json({ id: 5 });
      if (request.method === 'DELETE') return new Response(null, { status: 204 });
      const own = { ...stored, id: 5, name: 'Mine', own: true, shared: false };
      return Response.json({
        data: [
          { ...stored, search: { perPage: 100, order: 'name' } },
          { ...own, search: {} },
        ],
      });
    });
  });
  afterEach(() => vi.restoreAllMocks());

  it('open with their filters, order and page size, and are told from those of colleagues', async () => {
    const { address } = show();
    await userEvent.click(page.getByRole('button', { name: 'Saved views' }));
    await expect.element(page.getByText('by Ann')).toBeVisible();
    await userEvent.click(page.getByRole('button', { name: /Ours/ }));
    await vi.waitFor(() => expect(address()).toMatchObject({ perPage: 100, order: 'name', direction: 'ASC' }));
  });

  it('keep the list as it is under a name, and go when their user removes them', async () => {
    show('/terms?perPage=100');
    await userEvent.click(page.getByRole('button', { name: 'Saved views' }));
    await userEvent.fill(page.getByRole('textbox', { name: 'Name of the view' }), 'Mine');
    await userEvent.click(page.getByRole('button', { name: 'Save this view' }));
    await vi.waitFor(() => expect(sent).toHaveBeenCalled());
    expect(sent.mock.calls[0]).toMatchObject([
      'POST',
      { name: 'Mine', path: '/terms', shared: false, search: { perPage: 100 }, columns: { hidden: [] } },
    ]);
    await userEvent.click(page.getByRole('button', { name: 'Remove the view Mine' }));
    await expect.element(page.getByText('“Mine” is removed for you.')).toBeVisible();
    expect(sent).toHaveBeenCalledTimes(1);
    await userEvent.click(page.getByRole('dialog').getByRole('button', { name: 'Remove the view Mine' }));
    await vi.waitFor(() => expect(sent).toHaveBeenCalledWith('DELETE', '/api/savedViews/5'));
    expect(page.getByRole('button', { name: 'Remove the view Ours' }).elements()).toEqual([]);
  });
});

it('puts a column in another place by keys alone', async () => {
  show('/terms', { ...withAds });
  await userEvent.click(page.getByRole('button', { name: 'Columns' }));
  await userEvent.click(page.getByRole('button', { name: 'Move Name back' }));
  const headers = () =>
    page
      .getByRole('columnheader')
      .elements()
      .map((header) => header.textContent?.trim().split(' ')[0]);
  await vi.waitFor(() => expect(headers().filter(Boolean)).toEqual(['Ads', 'Name']));
});
