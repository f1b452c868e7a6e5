import { useEffect, useRef } from 'react';
import type { Mail } from '~/api/queries/caseMails';
import { leavingMail } from './leaving';

/** Calls `onChange` when a mail has come, left or failed since: the case and its counts are no longer the same. */
export function useSettled(mails: readonly Mail[], onChange: () => void): void {
  const state = mails.map(({ id, status }) => `${id} ${status}`).join();
  const before = useRef(state);
  useEffect(() => {
    if (before.current === state) return;
    before.current = state;
    onChange();
  }, [state, onChange]);
}

/** Calls `onUndone` when a mail of this case was taken back, on whatever page or frame of this tab that was done. */
export function useUndone(caseId: string, onUndone: () => void): void {
  const latest = useRef(onUndone);
  latest.current = onUndone;
  useEffect(() => {
    let done: number | undefined;
    return leavingMail.subscribe(() => {
      const leaving = leavingMail.get();
      if (!leaving?.undone || leaving.caseId !== caseId || leaving.mailId === done) return;
      done = leaving.mailId;
      latest.current();
    });
  }, [caseId]);
}
