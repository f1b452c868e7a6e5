import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isUnauthorized } from '~/api/errors';
import { meQuery } from '~/api/session';
import { session } from '~/lib/storage';

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

const RELOADED = 'reloaded-for-new-version';

/** A server that does not answer within this time is away. */
const ANSWER_MS = 5_000;

/** Whether the page would come back if it were loaded again. */
const serverAnswers = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );

/**
 * A page older than the server asks for chunks that are gone: it is loaded again, once, to get the new ones. Where the server is away it
 * stays: the screen says so, and a reload would leave nothing of it.
 */
export function reloadOnceWhenStale(): void {
  window.addEventListener('vite:preloadError', async () => {
    if (session.get(RELOADED) || !(await serverAnswers())) return;
    session.set(RELOADED, '1');
    window.location.reload();
  });
  window.addEventListener('load', () => setTimeout(() => session.remove(RELOADED), 10_000));
}
