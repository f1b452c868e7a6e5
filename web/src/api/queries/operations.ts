import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';

/*
 * Polling intervals; a hidden window does not poll.
 */
const OVERVIEW_REFRESH_MS = 4_000;
const LIST_REFRESH_MS = 10_000;
const CHART_REFRESH_MS = 30_000;

const ALL = ['operations'] as const;

/** Invalidates everything on the page. */
export const operationsKey = ALL;

export const overviewQuery = queryOptions({
  queryKey: [...ALL, 'overview'],
  queryFn: ({ signal }) => answer(client.GET('/api/operations/overview', { signal })),
  refetchInterval: OVERVIEW_REFRESH_MS,
});

export type Window = 'day' | 'week' | 'month';

export const outcomesQuery = (window: Window) =>
  queryOptions({
    queryKey: [...ALL, 'captures', window],
    queryFn: ({ signal }) => answer(client.GET('/api/operations/captures', { params: { query: { window } }, signal })),
    refetchInterval: CHART_REFRESH_MS,
    placeholderData: keepPreviousData,
  });

/** What is planned on each engine and proxy in the next 24 hours. */
export const capacityQuery = queryOptions({
  queryKey: [...ALL, 'capacity'],
  queryFn: ({ signal }) => answer(client.GET('/api/operations/capacity', { signal })),
  refetchInterval: CHART_REFRESH_MS,
});

export type ReviewKind = 'doubtful' | 'quarantined' | 'failed';

export const reviewsQuery = (kind: ReviewKind) =>
  queryOptions({
    queryKey: [...ALL, 'reviews', kind],
    queryFn: ({ signal }) => answer(client.GET('/api/operations/reviews', { params: { query: { kind } }, signal })),
    refetchInterval: LIST_REFRESH_MS,
  });

export const reviewQuery = (requestID: string) =>
  queryOptions({
    queryKey: [...ALL, 'review', requestID],
    queryFn: ({ signal }) =>
      answer(client.GET('/api/operations/reviews/{requestID}', { params: { path: { requestID } }, signal })),
  });

export interface ScheduleSearch {
  query: string;
  failing: boolean;
  page: number;
}

export const schedulesQuery = (query: ScheduleSearch) =>
  queryOptions({
    queryKey: [...ALL, 'schedules', query],
    queryFn: ({ signal }) => answer(client.GET('/api/operations/schedules', { params: { query }, signal })),
    refetchInterval: LIST_REFRESH_MS,
    placeholderData: keepPreviousData,
  });

export const jobsQuery = queryOptions({
  queryKey: [...ALL, 'jobs'],
  queryFn: ({ signal }) => answer(client.GET('/api/operations/jobs', { signal })),
  refetchInterval: LIST_REFRESH_MS,
});

const ACTS_SHOWN = 50;

export const actsQuery = queryOptions({
  queryKey: [...ALL, 'acts'],
  queryFn: ({ signal }) =>
    answer(client.GET('/api/operations/acts', { params: { query: { limit: ACTS_SHOWN } }, signal })),
  refetchInterval: LIST_REFRESH_MS,
});

type Answer<Query extends { queryFn?: unknown }> = Query['queryFn'] extends
  | ((...args: never[]) => infer Result)
  | undefined
  ? Awaited<Result>
  : never;

export type Overview = Answer<typeof overviewQuery>;
export type EngineState = Overview['engines'][number];
export type CapacityPlan = Answer<typeof capacityQuery>;
export type RouteCapacity = CapacityPlan['routes'][number];
export type Outcome = Answer<ReturnType<typeof outcomesQuery>>['data'][number];
export type Review = Answer<ReturnType<typeof reviewsQuery>>['data'][number];
export type Reviewed = Answer<ReturnType<typeof reviewQuery>>['data'];
export type Schedule = Answer<ReturnType<typeof schedulesQuery>>['data'][number];
export type Job = Answer<typeof jobsQuery>['data'][number];
export type Act = Answer<typeof actsQuery>['data'][number];

/** Actions on captures under review. */
export type ReviewAct = keyof typeof actPaths;

const actPaths = { retry: '/api/operations/retry', discard: '/api/operations/discard' } as const;

/** Returns the outcome for each capture. */
export async function handleCaptures(act: ReviewAct, requestIDs: string[]) {
  const { data } = await answer(client.POST(actPaths[act], { body: { requestIDs } }));
  return data;
}

export const pauseEngine = (engine: string, reason: string): Promise<void> =>
  done(client.POST('/api/operations/engines/{engine}/pause', { params: { path: { engine } }, body: { reason } }));

export const resumeEngine = (engine: string): Promise<void> =>
  done(client.POST('/api/operations/engines/{engine}/resume', { params: { path: { engine } } }));

/** The captured page of a run under review, at one of its ads. */
export function reviewPageAddress(requestID: string, ad?: number): string {
  const page = `/api/operations/reviews/${encodeURIComponent(requestID)}/page`;
  return ad === undefined ? page : `${page}?ad=${ad}#ad-${ad}`;
}
