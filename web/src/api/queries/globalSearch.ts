import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';
import type { paths } from '../schema';

/** What was found, by kind. */
export type Found = paths['/api/search']['get']['responses'][200]['content']['application/json']['data'];

/** Shorter texts find nothing. */
export const SHORTEST = 2;

/** Domains, terms, brands, cases and users whose names contain a text. What an earlier text found stays until the answer is there. */
export const globalSearchQuery = (text: string) =>
  queryOptions({
    queryKey: ['search', text],
    enabled: text.length >= SHORTEST,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data } = await answer(client.GET('/api/search', { params: { query: { query: text } }, signal }));
      return data;
    },
  });
