import type { ListSearch, Where } from '~/lib/listSearch';
import { answer, client } from '../client';
import { type AdTotals, listQueryString, readEnvelope } from '../listQuery';
import type { paths } from '../schema';

type Answer = paths['/api/Sems/groupTerms']['get']['responses'][200]['content']['application/json'];

export type TermsMeta = AdTotals;

export type TermRow = Answer['data'][number] & {
  /** ISO 3166 alpha-2; empty if the place was deleted. */
  country: string;
  /** The filters of the Domains list for this term, over the same days and brands. */
  domainsFilters: Readonly<Record<string, Where>>;
};

/** Query key of the pages of the list. */
export const termsKey = ['terms', 'list'] as const;

/** A page of terms with the totals of the whole filtered set. */
export const termsQuery = (search: ListSearch) => ({
  queryKey: [...termsKey, listQueryString(search)],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    readPage(
      await answer(client.GET('/api/Sems/groupTerms', { querySerializer: () => listQueryString(search), signal })),
      search,
    ),
});

/**
 * The page of the list: its rows, each with its country ('' without a locale) and the filters of its domains (words, engine, country, and date and
 * brand of the list), the totals and the links.
 */
function readPage(answer: Answer, { filters: { date, brandID } }: ListSearch) {
  return {
    ...readEnvelope(answer),
    rows: answer.data.map((row): TermRow => {
      const country = row.locale?.split('_')[1] ?? '';
      const domainsFilters: Record<string, Where> = {
        ...(date && { date }),
        ...(brandID && { brandID }),
        keywordContent: { type: 'inq', value: [row.content] },
        ...(country && { country: { type: 'inq', value: [country] } }),
        engine: { type: 'inq', value: [row.engine] },
      };
      return { ...row, country, domainsFilters };
    }),
  };
}
