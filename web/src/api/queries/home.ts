import { queryOptions } from '@tanstack/react-query';
import type { ListSearch } from '~/lib/listSearch';
import { isRecord } from '~/lib/storage';
import { answer, client } from '../client';
import { follow } from '../links';
import { filterPairs } from '../listQuery';
import type { paths } from '../schema';
import { timeZone } from './ads';

const CAPTURES_SHOWN = 20;
const CAPTURES_REFRESH_MS = 5_000;

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

/** Views of both times by advertiser and day. */
export type ShareOfVoice = Answer<'/api/home/shareOfVoice'>;
export type Voice = ShareOfVoice['data'][number];
export type Newcomers = Answer<'/api/home/newcomers'>;
export type PresenceHour = Answer<'/api/home/presence'>['data'][number];
export type Creative = Answer<'/api/home/creatives'>['data'][number];
export type PaceOfCases = Answer<'/api/home/cases'>;
export type Changes = Answer<'/api/home/changes'>;
export type Capture = Answer<'/api/captures'>['data'][number];

type Filters = ListSearch['filters'];

/** The query string of a question under the filters of a list of ads, with the reader's time zone. */
const question = (filters: Filters): string =>
  new URLSearchParams([['timeZone', timeZone()], ...filterPairs(filters)]).toString();

/** A question about the figures under the filters of a list of ads. */
const asking = <Body>(
  name: string,
  filters: Filters,
  ask: (options: { querySerializer: () => string; signal: AbortSignal }) => Promise<Body>,
) => {
  const query = question(filters);
  return queryOptions({
    queryKey: ['home', name, query],
    queryFn: ({ signal }) => ask({ querySerializer: () => query, signal }),
  });
};

/** The share of voice in the period of the filters, beside the time before. */
export const voiceQuery = (filters: Filters) =>
  asking('voice', filters, (options) => answer(client.GET('/api/home/shareOfVoice', options)));

/** New and returning advertisers. */
export const newcomersQuery = (filters: Filters) =>
  asking('newcomers', filters, (options) => answer(client.GET('/api/home/newcomers', options)));

/** When in the week others are present. */
export const presenceQuery = (filters: Filters) =>
  asking('presence', filters, (options) => answer(client.GET('/api/home/presence', options)));

/** The headlines of others that were seen most. */
export const creativesQuery = (filters: Filters) =>
  asking('creatives', filters, (options) => answer(client.GET('/api/home/creatives', options)));

/** Cases by status, and how fast they move. */
export const paceQuery = (filters: Filters) =>
  asking('cases', filters, (options) => answer(client.GET('/api/home/cases', options)));

/** What changed most in the period of the filters. */
export const changesQuery = (filters: Filters) =>
  asking('changes', filters, (options) => answer(client.GET('/api/home/changes', options)));

/** The latest captures; polled. */
export const capturesQuery = queryOptions({
  queryKey: ['captures'],
  queryFn: ({ signal }) =>
    answer(client.GET('/api/captures', { params: { query: { limit: CAPTURES_SHOWN } }, signal })),
  refetchInterval: CAPTURES_REFRESH_MS,
});

/** Where the reader's own dashboard is asked for. */
const DASHBOARD_ACCESS = { method: 'GET', href: '/api/dashboards/app-action-sem-summary/frame' };

/**
 * The address of the reader's own dashboard in a frame, good for minutes; null where there is none. Whatever keeps it away, the figures of the home page are
 * there.
 */
export const dashboardAccessQuery = queryOptions({
  queryKey: ['home', 'dashboardAccess'],
  retry: false,
  gcTime: 0,
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }): Promise<string | null> => {
    const found = await follow(DASHBOARD_ACCESS, { signal }).catch(() => undefined);
    const data = isRecord(found) && isRecord(found.data) ? found.data : {};
    return typeof data.url === 'string' ? data.url : null;
  },
});
