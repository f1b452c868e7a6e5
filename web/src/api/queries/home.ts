import { queryOptions } from '@tanstack/react-query';
import type { DateSpan } from '~/lib/dates';
import { answer, client } from '../client';
import type { paths } from '../schema';
import { timeZone } from './ads';

const CAPTURES_SHOWN = 20;
const CAPTURES_REFRESH_MS = 5_000;

/** Views per day and totals of a period. */
export type Stats = paths['/api/advertisers/stats']['get']['responses'][200]['content']['application/json'];
export type Capture = paths['/api/captures']['get']['responses'][200]['content']['application/json']['data'][number];

/** The stats of a period, or of the comparable part of the previous one. */
export const statsQuery = ({ start, end }: DateSpan, of: 'period' | 'previous') =>
  queryOptions({
    queryKey: ['stats', start, end, of],
    queryFn: ({ signal }) => {
      const query = { startDate: start, endDate: end, timeZone: timeZone(), previous: of === 'previous' };
      return answer(client.GET('/api/advertisers/stats', { params: { query }, signal }));
    },
  });

/** The latest captures; polled. */
export const capturesQuery = queryOptions({
  queryKey: ['captures'],
  queryFn: ({ signal }) =>
    answer(client.GET('/api/captures', { params: { query: { limit: CAPTURES_SHOWN } }, signal })),
  refetchInterval: CAPTURES_REFRESH_MS,
});
