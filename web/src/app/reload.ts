import { session } from '~/lib/storage';

const RELOADED = 'reloaded-for-new-version';

/** A page older than the server asks for chunks that are gone: it is loaded again, once, to get the new ones. */
export function reloadOnceWhenStale(): void {
  window.addEventListener('vite:preloadError', (event) => {
    if (session.get(RELOADED)) return;
    session.set(RELOADED, '1');
    event.preventDefault();
    window.location.reload();
  });
  window.addEventListener('load', () => setTimeout(() => session.remove(RELOADED), 10_000));
}
