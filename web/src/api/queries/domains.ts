import type { ListSearch } from '~/lib/listSearch';
import { answer, client } from '../client';
import { type AdTotals, listQueryString, readEnvelope } from '../listQuery';
import type { paths } from '../schema';

type Answer = paths['/api/Sems/findAdvertisers']['get']['responses'][200]['content']['application/json'];

export type DomainsMeta = AdTotals;

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

/** The page of the list: its rows with their share of the views over all pages (0 without views), the totals and the links. */
function readPage(answer: Answer) {
  const envelope = readEnvelope(answer);
  const { totalViews } = envelope.meta;
  return {
    ...envelope,
    rows: answer.data.map(
      (row): DomainRow => ({
        ...row,
        share: totalViews > 0 ? (row.nbViews / totalViews) * 100 : 0,
      }),
    ),
  };
}
