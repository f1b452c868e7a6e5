import { queryOptions } from '@tanstack/react-query';
import type { DateSpan } from '~/lib/dates';
import { answer, client } from '../client';
import type { paths } from '../schema';

const CAPTURES_SHOWN = 20;
const CAPTURES_REFRESH_MS = 5_000;

/** Views per day and totals of a period. */
export type Stats = paths['/api/advertisers/stats']['get']['responses'][200]['content']['application/json'];
export type Capture = paths['/api/captures']['get']['responses'][200]['content']['application/json']['data'][number];

export const statsQuery = ({ start, end }: DateSpan) =>
  queryOptions({
    queryKey: ['stats', start, end],
    queryFn: ({ signal }) =>
      answer(client.GET('/api/advertisers/stats', { params: { query: { startDate: start, endDate: end } }, signal })),
  });

/** The last captures, asked for again while the page is looked at. */
export const capturesQuery = queryOptions({
  queryKey: ['captures'],
  queryFn: ({ signal }) =>
    answer(client.GET('/api/captures', { params: { query: { limit: CAPTURES_SHOWN } }, signal })),
  refetchInterval: CAPTURES_REFRESH_MS,
});
