import type { ListSearch } from '~/lib/listSearch';
import { answer, client } from '../client';
import { filterPairs } from '../listQuery';
import type { paths } from '../schema';
import { timeZone } from './ads';

export type RowFigures =
  paths['/api/Sems/findAdvertisers/figures']['get']['responses'][200]['content']['application/json'];

/** The figures beside some rows of a list under its filters. */
const asked = (search: ListSearch, rows: readonly string[]): string => {
  const query = new URLSearchParams({ timeZone: timeZone() });
  for (const [key, value] of filterPairs(search.filters)) query.append(key, value);
  for (const row of rows) query.append('rows[]', row);
  return query.toString();
};

/** The figures of domains. */
export const domainFigures = (search: ListSearch, rows: readonly string[]) => {
  const query = asked(search, rows);
  return {
    queryKey: ['domains', 'figures', query],
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<RowFigures> =>
      answer(
        client.GET('/api/Sems/findAdvertisers/figures', {
          params: { query: { 'rows[]': [...rows] } },
          querySerializer: () => query,
          signal,
        }),
      ),
  };
};

/** The figures of terms. */
export const termFigures = (search: ListSearch, rows: readonly string[]) => {
  const query = asked(search, rows);
  return {
    queryKey: ['terms', 'figures', query],
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<RowFigures> =>
      answer(
        client.GET('/api/Sems/groupTerms/figures', {
          params: { query: { 'rows[]': [...rows] } },
          querySerializer: () => query,
          signal,
        }),
      ),
  };
};
