import { queryOptions } from '@tanstack/react-query';
import type { ListSearch } from '~/lib/listSearch';
import { answer, client } from '../client';
import { filterPairs, whereClause } from '../listQuery';
import type { paths } from '../schema';
import { timeZone } from './ads';

export type RowFigures =
  paths['/api/Sems/findAdvertisers/figures']['get']['responses'][200]['content']['application/json'];

/** The query string for the figures of some rows under the list's filters. */
const figuresQuery = (search: ListSearch, rows: readonly string[]): string => {
  const query = new URLSearchParams({ timeZone: timeZone() });
  for (const [key, value] of filterPairs(search.filters)) query.append(key, value);
  for (const row of rows) query.append('rows[]', row);
  return query.toString();
};

/** The figures of domains. */
export const domainFigures = (search: ListSearch, rows: readonly string[]) => {
  const query = figuresQuery(search, rows);
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
  const query = figuresQuery(search, rows);
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

/** How many of the planned captures were valid, and where they are few. */
export type Coverage = paths['/api/coverage']['get']['responses'][200]['content']['application/json'];

const coverageParams = (filters: ListSearch['filters']): string =>
  new URLSearchParams(Object.entries(filters).flatMap(([name, where]) => whereClause(name, where))).toString();

/** Asks for the coverage of the captures that match the filters of a list. */
export const readCoverage = (filters: ListSearch['filters'], signal: AbortSignal): Promise<Coverage> =>
  answer(client.GET('/api/coverage', { querySerializer: () => coverageParams(filters), signal }));

/** Coverage of the captures that match the filters of a list. */
export const coverageQuery = (filters: ListSearch['filters']) =>
  queryOptions({
    queryKey: ['coverage', coverageParams(filters)],
    queryFn: ({ signal }) => readCoverage(filters, signal),
  });
