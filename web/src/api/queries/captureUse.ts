import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';
import type { paths } from '../schema';

/** What is planned and captured for a company account in a month, and its quota. */
export type CaptureUse =
  paths['/api/captureUse']['get']['responses'][200]['content']['application/json']['data'][number];

/** Counting the captures of a month takes the server a while. */
const FRESH_MS = 30_000;

export const captureUseKey = ['captureUse'] as const;

/** The captures of each company account that the reader sees. */
export const captureUseQuery = queryOptions({
  queryKey: captureUseKey,
  queryFn: async ({ signal }) => {
    const { data } = await answer(client.GET('/api/captureUse', { signal }));
    return data;
  },
  staleTime: FRESH_MS,
});

/** From this share of the quota on, readers are warned. */
const NEAR = 0.8;

/** Which of the two figures is near its quota, the larger one, and its share; undefined for an account without a quota or far from it. */
export function nearQuota({
  quota,
  planned,
  used,
}: Pick<CaptureUse, 'quota' | 'planned' | 'used'>): { figure: 'planned' | 'used'; share: number } | undefined {
  if (quota == null) return undefined;
  const most = Math.max(planned, used);
  // Of a quota of nothing, anything is too much.
  const share = quota > 0 ? most / quota : Number(most > 0);
  return share >= NEAR ? { figure: planned >= used ? 'planned' : 'used', share } : undefined;
}
