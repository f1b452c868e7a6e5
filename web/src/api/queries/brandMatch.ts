import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';
import { ApiError } from '../errors';
import type { components } from '../schema';
import { brandsKey } from './brands';

/** Patterns as they are stored; empty for none. */
export interface Patterns {
  autoMatch: string;
  autoMatchExclude: string;
}

export type MatchPreview = components['schemas']['MatchPreviewView'];
export type MatchCounts = components['schemas']['MatchCountsView'];

/** What patterns of a brand would do to the present terms; `brandId` is null for a new one. */
export const matchPreviewQuery = (brandId: number | null, { autoMatch, autoMatchExclude }: Patterns) =>
  queryOptions({
    queryKey: [...brandsKey, 'preview', brandId, autoMatch, autoMatchExclude],
    queryFn: ({ signal }): Promise<MatchPreview> =>
      answer(
        client.POST('/api/Brands/matchPreview', {
          body: { brandId, autoMatchRegExp: autoMatch, autoMatchExcludeRegExp: autoMatchExclude },
          signal,
        }),
      ),
    // An invalid pattern stays invalid.
    retry: (failures, error) => failures === 0 && !(error instanceof ApiError && error.status === 422),
  });

export type Matched = components['schemas']['MatchedView'];

/** Matches terms with a brand: those without one, or all, of which it gives up those that no longer match. */
export const autoMatch = (id: number, rematchAll: boolean): Promise<Matched> =>
  answer(client.POST('/api/Brands/{id}/autoMatch', { params: { path: { id } }, body: { options: { rematchAll } } }));

export type MatchRun = components['schemas']['MatchRunView'];

const matchRunsKey = ['matchRuns'] as const;

/** Time between two looks at matches that run. */
const LOOK_EVERY_MS = 1_000;

/** The user's matches that run in the background or whose end was not shown yet, oldest first; asked again each second while one runs. */
export const matchRunsQuery = queryOptions({
  queryKey: matchRunsKey,
  queryFn: async ({ signal }): Promise<MatchRun[]> =>
    (await answer(client.GET('/api/Brands/matchRuns', { signal }))).data,
  refetchInterval: ({ state }) => (state.data?.some((run) => run.state === 'running') ? LOOK_EVERY_MS : false),
});

/** Starts a match in the background: of terms without a brand, or of all, of which the brand gives up those that no longer match. */
export const startMatchRun = (id: number, rematchAll: boolean) =>
  answer(client.POST('/api/Brands/{id}/matchRuns', { params: { path: { id } }, body: { options: { rematchAll } } }));

/** Takes a match that ended off the list of the user's matches. */
export const acknowledgeMatchRun = (id: number) =>
  answer(client.DELETE('/api/Brands/matchRuns/{id}', { params: { path: { id } } }));

/** A match that changes a larger share of all terms is probably a mistake in a pattern. */
const USUAL_SHARE = 0.2;

/** Whether a match changes so many terms that the user is asked again. */
export const isUnusual = (changed: number, { total }: MatchCounts): boolean => changed > total * USUAL_SHARE;
