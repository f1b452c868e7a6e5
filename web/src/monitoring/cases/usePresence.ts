import { useEffect, useState } from 'react';
import { type PresentPerson, tellPresence } from '~/api/queries/presence';
import { newOperation } from '~/api/queries/undo';

/** How often a page in sight says that it is; the server forgets it after three times that. */
const BEAT_MS = 20_000;

const NOBODY: readonly PresentPerson[] = [];

/** Says that the reader looks at a case while its page is in sight, and returns the others that do. Nobody where that cannot be known. */
export function usePresence(caseId: string): readonly PresentPerson[] {
  const [people, setPeople] = useState(NOBODY);
  useEffect(() => {
    const page = newOperation();
    let timer: ReturnType<typeof setInterval> | undefined;
    let isGone = false;
    const beat = () =>
      tellPresence(caseId, page, 'looks').then(
        (present) => !isGone && setPeople(present.people),
        () => undefined,
      );
    const leave = () => {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      void tellPresence(caseId, page, 'leaves').catch(() => undefined);
    };
    const follow = () => {
      if (document.visibilityState === 'hidden') return leave();
      if (timer !== undefined) return;
      timer = setInterval(beat, BEAT_MS);
      void beat();
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    window.addEventListener('pagehide', leave);
    return () => {
      isGone = true;
      document.removeEventListener('visibilitychange', follow);
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [caseId]);
  return people;
}
