import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isUnauthorized } from '~/api/errors';
import { meQuery } from '~/api/session';

/** What the server says stays true for this long while one moves between screens. */
const FRESH_MS = 30_000;

/** A server that is away for a moment is asked once more; an answer that says no is an answer. */
const retry = (failures: number, error: unknown): boolean =>
  failures < 1 && error instanceof ApiError && (error.status === 0 || error.status === 503);

/** The cache of what the server says. `onSessionLost` is called when a call other than the session's own is refused. */
export function makeQueryClient(onSessionLost: () => void): QueryClient {
  const onError = (error: unknown) => {
    if (!isUnauthorized(error) || client.getQueryState(meQuery.queryKey)?.status !== 'success') return;
    client.removeQueries({ queryKey: meQuery.queryKey });
    onSessionLost();
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: { queries: { retry, staleTime: FRESH_MS, refetchOnWindowFocus: false } },
  });
  return client;
}
