import type { ListSearch } from '~/lib/listSearch';
import { answer, client } from '../client';
import { listQueryString } from '../listQuery';
import type { paths } from '../schema';

type Answer = paths['/api/Sems/findAdvertisers']['get']['responses'][200]['content']['application/json'];

export interface DomainsMeta {
  /** Domains that match, over all pages. */
  total: number;
  totalAds: number;
  totalViews: number;
}

export type DomainRow = Answer['data'][number] & {
  /** Its share of all matching views, in percent. */
  share: number;
};

/** Query key of the pages of the list. */
export const domainsKey = ['domains', 'list'] as const;

/** A page of advertisers' domains with the totals of the whole filtered set. */
export const domainsQuery = (search: ListSearch) => ({
  queryKey: [...domainsKey, listQueryString(search)],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    readPage(
      await answer(client.GET('/api/Sems/findAdvertisers', { querySerializer: () => listQueryString(search), signal })),
    ),
});

function readPage({ data, meta, links }: Answer) {
  const totalViews = meta.page.totalViews ?? 0;
  const totalAds = meta.page.totalAds ?? 0;
  return {
    rows: data.map(
      (row): DomainRow => ({
        ...row,
        share: totalViews > 0 ? (row.nbViews / totalViews) * 100 : 0,
      }),
    ),
    meta: { total: meta.page.total, totalAds, totalViews } satisfies DomainsMeta,
    next: links.next ?? undefined,
    prev: links.prev ?? undefined,
    exportCsv: links.exportCSV ?? undefined,
  };
}
