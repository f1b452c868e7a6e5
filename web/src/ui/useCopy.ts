import { useEffect, useState } from 'react';

/** A success shows after this pause, for this long; a failure is cleared after its own time. */
const COPIED_AFTER_MS = 500;
const COPIED_FOR_MS = 1_500;
const FAILED_FOR_MS = 2_000;

export type CopyState = 'idle' | 'copied' | 'failed';

/** Copies texts and tells, for a moment, how it went. */
export function useCopy(): { state: CopyState; copy(text: string): Promise<void> } {
  const [state, setState] = useState<CopyState | 'pending'>('idle');

  useEffect(() => {
    if (state === 'idle') return;
    const [next, delay] =
      state === 'pending'
        ? (['copied', COPIED_AFTER_MS] as const)
        : (['idle', state === 'copied' ? COPIED_FOR_MS : FAILED_FOR_MS] as const);
    const timer = setTimeout(() => setState(next), delay);
    return () => clearTimeout(timer);
  }, [state]);

  return {
    state: state === 'pending' ? 'idle' : state,
    async copy(text) {
      try {
        // Absent outside secure contexts.
        await navigator.clipboard.writeText(text);
        setState('pending');
      } catch {
        setState('failed');
      }
    },
  };
}
