import { session } from '~/lib/storage';

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
