import { queryOptions } from '@tanstack/react-query';
import type { ListSearch } from '~/lib/listSearch';
import { answer, client } from '../client';
import { whereClause } from '../listQuery';
import type { paths } from '../schema';

/** How many of the planned captures were valid, and where they are few. */
export type Coverage = paths['/api/coverage']['get']['responses'][200]['content']['application/json'];

/** The captures that filters of a list mean. */
export const coverageQuery = (filters: ListSearch['filters']) => {
  const pairs = Object.entries(filters).flatMap(([name, where]) => whereClause(name, where));
  const query = new URLSearchParams(pairs).toString();
  return queryOptions({
    queryKey: ['coverage', query],
    queryFn: ({ signal }) => answer(client.GET('/api/coverage', { querySerializer: () => query, signal })),
  });
};
