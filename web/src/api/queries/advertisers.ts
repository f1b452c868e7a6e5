import type { QueryClient } from '@tanstack/react-query';
import type { ListSearch } from '~/lib/listSearch';
import { actionQueryString } from '../actionQuery';
import { answer, client } from '../client';
import { fetchPage, follow, type ServerLink } from '../links';
import type { paths } from '../schema';

type Answer = paths['/api/actions']['get']['responses'][200]['content']['application/json'];
type Advertiser = Answer['data'][number];

export interface AdvertisersMeta {
  /** Advertisers that match, over all pages. */
  total: number;
  /** Number of advertisers by status. */
  subTotal: Readonly<Record<string, number>>;
}

export type AdvertiserRow = Omit<Advertiser, 'id' | 'links' | 'domain'> & {
  id: string;
  domain: string;
  links: Readonly<Record<string, ServerLink>>;
};

/** Endpoints of group actions. */
export const GROUP_ACTS = {
  request: '/api/actions/requested',
  cancelRequest: '/api/actions/cancelRequested',
  ignore: '/api/actions/ignored',
  unignore: '/api/actions/cancelIgnore',
} as const;

export type GroupAct = keyof typeof GROUP_ACTS;

/** Query key of the pages of the list. */
export const advertisersKey = ['advertisers', 'list'] as const;

/** A page of advertisers, with their number by status. */
export const advertisersQuery = (search: ListSearch) => ({
  queryKey: [...advertisersKey, actionQueryString(search)],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const { data, meta, links } = await fetchPage(
      search.page,
      (page) => `advertisers?${actionQueryString({ ...search, page })}`,
      () => answer(client.GET('/api/actions', { querySerializer: () => actionQueryString(search), signal })),
      signal,
    );
    return {
      rows: data.map(asRow),
      meta: readMeta(meta),
      next: links.next ?? undefined,
      prev: links.prev ?? undefined,
      exportCsv: links.exportCSV ?? undefined,
    };
  },
});

const asRow = (advertiser: Advertiser): AdvertiserRow => ({
  ...advertiser,
  id: String(advertiser.id),
  domain: advertiser.domain ?? '',
  links: advertiser.links as unknown as AdvertiserRow['links'],
});

/** Changes a group at once, and invalidates the lists of advertisers. */
export async function changeGroup(queries: QueryClient, act: GroupAct, rows: readonly AdvertiserRow[]): Promise<void> {
  const actionID = rows.map(({ ID }) => ID);
  await answer(client.POST(GROUP_ACTS[act], { body: { actionID } }));
  await queries.invalidateQueries({ queryKey: advertisersKey });
}

/**
 * Follows a link of an advertiser. Merges the answer into its row in every cached list and updates the counters; the lists refetch when
 * they are next opened. Throws, and changes nothing here, when the link fails.
 */
export async function followAdvertiserLink(queries: QueryClient, link: ServerLink): Promise<void> {
  const { data } = (await follow(link)) as { data: Advertiser };
  const changed = asRow(data);
  queries.setQueriesData<{ rows: AdvertiserRow[] }>(
    { queryKey: advertisersKey },
    (page) => page && { ...page, rows: page.rows.map((row) => (row.id === changed.id ? { ...row, ...changed } : row)) },
  );
  await updateCounters(queries);
  await queries.invalidateQueries({ queryKey: advertisersKey, refetchType: 'none' });
}

/**
 * Fetches the counters of the visible lists again, and leaves their rows as they are, even those the filters would now leave out. If that
 * fails, the old counters stay.
 */
async function updateCounters(queries: QueryClient): Promise<void> {
  const shown = queries.getQueryCache().findAll({ queryKey: advertisersKey, type: 'active' });
  const updates = shown.map(async ({ queryKey }) => {
    const query = String(queryKey.at(-1));
    const { meta } = await answer(client.GET('/api/actions', { querySerializer: () => query }));
    queries.setQueryData<{ meta: AdvertisersMeta }>(queryKey, (page) => page && { ...page, meta: readMeta(meta) });
  });
  // The action has succeeded: counters that fail to load come with the next page.
  await Promise.allSettled(updates);
}

const readMeta = (meta: Answer['meta']): AdvertisersMeta => ({ total: meta.page.total, subTotal: meta.subTotal });
