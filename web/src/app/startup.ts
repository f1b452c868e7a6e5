import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isUnauthorized } from '~/api/errors';
import { meQuery } from '~/api/session';
import { session } from '~/lib/storage';

/** Answers stay fresh for this long between screens. */
const FRESH_MS = 30_000;

/** Retries once when the server is unreachable or unavailable; a refusal is final. */
const retry = (failures: number, error: unknown): boolean =>
  failures < 1 && error instanceof ApiError && (error.status === 0 || error.status === 503);

/**
 * Makes the query client. When any call answers 401 while the user is loaded, it drops the user from the cache and calls `onSessionLost`; without
 * a loaded user, a 401 does nothing.
 */
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

const RELOADED = 'reloaded-for-new-version';

/** A server that does not answer within this time counts as down. */
const ANSWER_MS = 5_000;

/** Whether a reload would succeed. */
const serverAnswers = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * From now on, reloads the page when a chunk cannot be loaded: it may be older than the server, whose new build no longer has its chunks. Not again
 * until 10 s after the reloaded page's `load` event, and not while the server is down: the screen reports that, and a reload would lose it. Call it
 * before `load`.
 */
export function reloadWhenStale(): void {
  window.addEventListener('vite:preloadError', async () => {
    if (session.get(RELOADED) || !(await serverAnswers())) return;
    session.set(RELOADED, '1');
    window.location.reload();
  });
  window.addEventListener('load', () => setTimeout(() => session.remove(RELOADED), 10_000));
}
