import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { FIRST_PAGE, type ListSearch } from '~/lib/listSearch';
import { actionQueryString } from '../actionQuery';
import { answer, client } from '../client';
import { ApiError } from '../errors';
import { fetchPage, follow, type ServerLink } from '../links';
import type { components, paths } from '../schema';
import { advertisersKey, GROUP_ACTS, type GroupAct } from './advertisers';

type Answer = paths['/api/actions']['get']['responses'][200]['content']['application/json'];
type Action = Answer['data'][number];

/** What Vigie does next with a case by itself. */
export type NextStep = components['schemas']['NextView'];

export type CaseRow = Omit<Action, 'id' | 'links' | 'domain'> & {
  id: string;
  domain: string;
  links: Readonly<Record<string, ServerLink>>;
  /** When the advertiser wrote last, as far as that is known. */
  lastReceived?: string | undefined;
  /** The page of its mails, where another dashboard has them. */
  mailsPage?: string | null;
};

export interface CasesMeta {
  /** Cases that match, over all pages. */
  total: number;
}

/** Query key of the pages of both lists of cases, and of the pages of single ones, each a list of one: what changes a row changes these. */
export const casesKey = ['actions', 'list'] as const;

const asRow = (action: Action): CaseRow => ({
  ...action,
  id: String(action.id),
  domain: action.domain ?? '',
  links: action.links as unknown as CaseRow['links'],
});

const asPage = ({ data, meta, links }: Answer) => ({
  rows: data.map(asRow),
  meta: { total: meta.page.total } satisfies CasesMeta,
  next: links.next ?? undefined,
  prev: links.prev ?? undefined,
  exportCsv: links.exportCSV ?? undefined,
});

/** The query string of a page of cases, which show no views and ads. */
const caseQueryString = (search: ListSearch): string => `${actionQueryString(search)}&figures=false`;

/**
 * A page of cases. It stays as it was loaded until it is refetched, so that the reader who comes back from a case finds the same rows; the change
 * stream reports what changes meanwhile.
 */
export const casesQuery = (search: ListSearch) => ({
  queryKey: [...casesKey, 'search', actionQueryString(search)],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    asPage(
      await fetchPage(
        search.page,
        (page) => `actions?${caseQueryString({ ...search, page })}`,
        () => answer(client.GET('/api/actions', { querySerializer: () => caseQueryString(search), signal })),
        signal,
      ),
    ),
});

/** The query string of a page of what is to do, which the server orders itself. */
const todoQueryString = ({ page, perPage }: ListSearch): string =>
  new URLSearchParams({
    'page[size]': perPage === 'all' ? '0' : String(perPage),
    'page[number]': String(page),
    figures: 'false',
  }).toString();

/** A page of the cases with unread mails; as `casesQuery`. */
export const todoQuery = (search: ListSearch) => ({
  queryKey: [...casesKey, 'todo', todoQueryString(search)],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    asPage(await answer(client.GET('/api/actions/todo', { querySerializer: () => todoQueryString(search), signal }))),
});

const todoCountKey = ['actions', 'todoCount'] as const;

/** How many cases are to do. */
export const todoCountQuery = {
  queryKey: todoCountKey,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<number> => {
    const query = todoQueryString({ page: FIRST_PAGE, perPage: 1, order: '', direction: 'ASC', filters: {} });
    const { meta } = await answer(client.GET('/api/actions/todo', { querySerializer: () => query, signal }));
    return meta.page.total;
  },
};

/** One case, as its page shows it. */
export const caseQuery = (id: string) =>
  queryOptions({
    queryKey: [...casesKey, 'one', id],
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const call = client.GET('/api/actions/detail/{id}', { params: { path: { id: Number(id) } }, signal });
      const { data } = await answer(call);
      const received = data.emails.flatMap(({ receivedDate }) => receivedDate ?? []).sort();
      return { rows: [{ ...asRow({ ...data, brand: data.brand?.label ?? null }), lastReceived: received.at(-1) }] };
    },
    select: ({ rows: [row] }) => row,
  });

/** Every case of one advertiser that the reader sees, the one whose status changed last first. */
export const conversationsQuery = (advertiserID: number) =>
  queryOptions({
    queryKey: [...casesKey, 'advertiser', advertiserID],
    queryFn: async ({ signal }) => {
      const query = new URLSearchParams({
        advertiserID: String(advertiserID),
        'page[size]': '500',
        noPaging: 'true',
        sortBy: '-lastStatusDate',
      }).toString();
      const { data } = await answer(client.GET('/api/actions', { querySerializer: () => query, signal }));
      return { rows: data.map(asRow) };
    },
  });

/** The ids of a page of cases in their order, and how many cases the list has. */
export interface CaseOrder {
  ids: readonly string[];
  total: number;
}

/** Query key of the orders that lists had when a case was opened from them. */
const ordersKey = ['actions', 'order'] as const;

/**
 * The order of a page of a list of cases as it was when a case was opened from it: it stays when cases leave the list meanwhile, so that the reader
 * goes on where they were.
 */
export const caseOrderQuery = (queries: QueryClient, list: 'actions' | 'todo', search: ListSearch) =>
  queryOptions({
    queryKey: [...ordersKey, list, search],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<CaseOrder> => {
      const { rows, meta } = await queries.fetchQuery(list === 'todo' ? todoQuery(search) : casesQuery(search));
      return { ids: rows.map(({ id }) => id), total: meta.total };
    },
  });

/** Forgets the orders of lists: a case is opened from one that may have changed. */
export const forgetCaseOrders = (queries: QueryClient): void => queries.removeQueries({ queryKey: ordersKey });

/** The condition of all cases under the filters of a search. */
export const allCasesOf = (search: ListSearch): string =>
  actionQueryString({ ...search, page: FIRST_PAGE, perPage: 'all' });

/** All cases of a condition, for changes of a whole list; as many as the server answers at once. */
export async function allCases(query: string): Promise<CaseRow[]> {
  return (await answer(client.GET('/api/actions', { querySerializer: () => query }))).data.map(asRow);
}

/** What a change of a group came to. */
export interface GroupResult {
  act: GroupAct;
  done: number;
  /** The cases that it does not fit, as they are. */
  refused: readonly CaseRow[];
}

/** The link of a row that offers each change. */
export const LINK_OF: Readonly<Record<GroupAct, string>> = {
  request: 'markAsRequested',
  cancelRequest: 'cancelRequested',
  ignore: 'markAsIgnored',
  unignore: 'cancelIgnore',
};

/** Whether the server offers a change of a case to this reader. */
export const allows = (row: CaseRow, act: GroupAct): boolean => row.links[LINK_OF[act]] !== undefined;

/** The code of the server where a status has changed meanwhile; its details name the cases. */
const CONFLICT = 'TRANSITION_NOT_ALLOWED';

/** Makes one change of those cases that it is offered for, and reloads the lists. Cases that somebody else changed meanwhile are refused as well. */
export async function changeCases(queries: QueryClient, act: GroupAct, rows: readonly CaseRow[]): Promise<GroupResult> {
  const fit = rows.filter((row) => allows(row, act));
  const refused = rows.filter((row) => !allows(row, act));
  try {
    const rest = await changeAllOrSome(act, fit);
    return { act, done: fit.length - rest.length, refused: [...refused, ...rest] };
  } finally {
    await reloadCases(queries);
  }
}

/** Changes the cases; where the server refuses some of them, the others. Returns those refused. */
async function changeAllOrSome(act: GroupAct, rows: readonly CaseRow[]): Promise<CaseRow[]> {
  if (rows.length === 0) return [];
  try {
    await post(act, rows);
    return [];
  } catch (error) {
    const unfit = error instanceof ApiError && error.code === CONFLICT ? (error.fields.actionID ?? []) : [];
    const refused = rows.filter(({ id }) => unfit.includes(id));
    if (refused.length === 0) throw error;
    const others = rows.filter((row) => !refused.includes(row));
    if (others.length > 0) await post(act, others);
    return refused;
  }
}

async function post(act: GroupAct, rows: readonly CaseRow[]): Promise<void> {
  noteOwnChange(rows.map(({ ID }) => ID));
  await answer(client.POST(GROUP_ACTS[act], { body: { actionID: rows.map(({ ID }) => ID) } }));
}

/** Drops every cached list of cases, and reloads those in sight. */
export async function reloadCases(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: advertisersKey });
  queries.removeQueries({ queryKey: casesKey, type: 'inactive' });
  await queries.invalidateQueries({ queryKey: todoCountKey });
  await queries.invalidateQueries({ queryKey: casesKey });
  // A dashboard from elsewhere would begin again.
  await queries.invalidateQueries({
    queryKey: ['home'],
    predicate: ({ queryKey }) => queryKey[1] !== 'dashboardAccess',
  });
}

/** Follows a link of a case, and puts the answer in the place of its row; every other list is dropped. */
export async function followCaseLink(queries: QueryClient, row: CaseRow, link: ServerLink): Promise<void> {
  noteOwnChange([row.ID]);
  const { data } = (await follow(link)) as { data: Action };
  putCases(queries, [asRow(data)]);
  queries.removeQueries({ queryKey: casesKey, type: 'inactive' });
  await queries.invalidateQueries({ queryKey: todoCountKey });
  await queries.invalidateQueries({ queryKey: advertisersKey });
}

/**
 * Follows a link of a case from its page, which then shows the answer; the lists are loaded again. A refusal, too, shows the case as it is by then.
 * Throws when the link fails.
 */
export async function changeCase(queries: QueryClient, row: CaseRow, link: ServerLink, body?: object): Promise<void> {
  noteOwnChange([row.ID]);
  try {
    const { data } = (await follow(link, { body })) as { data: Action };
    putCases(queries, [asRow(data)]);
  } finally {
    await reloadCases(queries);
  }
}

/** Whether the status of a case has changed since, and does not allow a change any more. */
export const isRefusedChange = (error: unknown): boolean => error instanceof ApiError && error.code === CONFLICT;

/** Puts cases in the place of the same ones in every cached list, without moving any. */
function putCases(queries: QueryClient, cases: readonly CaseRow[]): void {
  const changed = new Map(cases.map((one) => [one.id, one]));
  queries.setQueriesData<{ rows: CaseRow[] }>(
    { queryKey: casesKey },
    (page) => page && { ...page, rows: page.rows.map((row) => changed.get(row.id) ?? row) },
  );
}

/** Reads cases again by their ids, and puts them in their places. */
export async function refreshCases(queries: QueryClient, ids: readonly string[], signal: AbortSignal): Promise<void> {
  const query = new URLSearchParams([['noPaging', 'true'], ...ids.map((id) => ['ID[]', id])]).toString();
  const { data } = await answer(client.GET('/api/actions', { querySerializer: () => query, signal }));
  putCases(queries, data.map(asRow));
}

/** How long the stream may take to tell of a change that was made here. */
const OWN_MS = 15_000;

const own = new Map<number, number>();

/** Remembers changes of this tab, which the change stream will tell as well. */
function noteOwnChange(ids: readonly number[]): void {
  const until = Date.now() + OWN_MS;
  for (const [id, end] of own) if (end < Date.now()) own.delete(id);
  for (const id of ids) own.set(id, until);
}

/** Whether this tab has changed the case itself just now. */
export const isOwnChange = (id: number): boolean => (own.get(id) ?? 0) > Date.now();

/** One event of the change stream of cases. */
export interface CaseChange {
  id: number;
  type: 'create' | 'update' | 'remove';
  /** The case's columns; undefined when it left sight. */
  data?: Readonly<Record<string, unknown>>;
}

/** Names of filters whose values the change stream can be limited by, with their names there. */
const STREAMED: Readonly<Record<string, string>> = {
  status: 'status',
  brandId: 'brandId',
  country: 'country',
  provider: 'engine',
};

/** The address of the change stream of the cases under the filters, as far as it knows them. */
export function casesStream({ filters }: Pick<ListSearch, 'filters'>): string {
  const where = Object.fromEntries(
    Object.entries(filters).flatMap(([name, filter]) => {
      const field = STREAMED[name];
      return field && (filter.type === 'inq' || filter.type === 'nin')
        ? [[field, { [filter.type]: filter.value }]]
        : [];
    }),
  );
  return `/api/Actions/change-stream?${new URLSearchParams({ options: JSON.stringify({ where }) })}`;
}

/** The address of the change stream of one case. */
export const caseStream = (id: string): string =>
  `/api/Actions/change-stream?${new URLSearchParams({ options: JSON.stringify({ where: { id: Number(id) } }) })}`;

/** The address of the change stream of what is to do. */
export const todoStream = (): string =>
  `/api/Actions/change-stream?${new URLSearchParams({
    options: JSON.stringify({ where: { unreadCount: { gt: 0 }, status: { neq: 'ignored' } } }),
  })}`;
