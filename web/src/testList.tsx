import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { page } from 'vitest/browser';
import type { Me } from '~/api/session';
import { i18next, startTexts } from '~/i18n';
import type { ListSearch } from '~/lib/listSearch';
import { OpenAds } from '~/list/portal/OpenAds';
import type { FoundOption, ListDef, ListPage, Tools } from '~/list/types';
import { renderList } from '~/testing';
import { toast } from '~/ui/toast';

interface Row {
  id: string;
  name: string;
}

/** A page of the list. */
export type Page = ListPage<Row, { total: number }>;

const me = {
  id: 1,
  email: 'a@vigie.example',
  firstName: 'Demo',
  lastName: 'Administrator',
  roles: [],
} as unknown as Me;
/** Rows with these names, which are their ids as well. */
export const rowsOf = (...names: string[]): Row[] => names.map((name) => ({ id: name, name }));
/** A page that is the whole list, except for `more`. */
export const onePage = (rows: Row[], more: Partial<Page> = {}): Page => ({
  rows,
  meta: { total: rows.length },
  ...more,
});

/** Answers a page; two rows, alpha and beta, unless a test says otherwise. */
export const answer = vi.fn<(search: ListSearch) => Promise<Page>>();
/** Finds the choices of the filter Brand. */
export const findBrands = vi.fn<(query: string) => Promise<FoundOption[]>>();

/** The query of the list, which `answer` answers. */
export const query: typeof testList.query = (search) => ({
  queryKey: ['things', search],
  queryFn: () => answer(search),
});

/** A list with a filter of each kind and one column. */
export const testList: ListDef<Row, { total: number }> = {
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
export const withAds: typeof testList = {
  ...testList,
  columns: (tools) => [...testList.columns(tools), { colId: 'open', headerName: 'Ads', cellRenderer: OpenCell }],
  ads: (row) => ({ title: row.name, search: [['domain', row.name]] }),
};

/** Renders the list at an address. */
export function show(address = '/terms', list = testList) {
  return renderList(list, address, me);
}

/** The search that was asked for last. */
export const lastAsked = () => answer.mock.calls.at(-1)?.[0];

/** Starts each test of a file with empty storages, a wide window and the answers of above. */
export function prepareTestList() {
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
}
