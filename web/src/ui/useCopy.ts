import { useEffect, useState } from 'react';

/** How long it is said how it went. */
export const SAID_FOR_MS = 2_000;

export type CopyState = 'idle' | 'copied' | 'failed';

/** Copies texts and tells at once, for a moment, how it went. */
export function useCopy(): { state: CopyState; copy(text: string): Promise<void> } {
  // Each copy is told of for its whole time, whatever is still said of one before.
  const [said, setSaid] = useState<{ state: CopyState }>({ state: 'idle' });

  useEffect(() => {
    if (said.state === 'idle') return;
    const timer = setTimeout(() => setSaid({ state: 'idle' }), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [said]);

  return {
    state: said.state,
    async copy(text) {
      try {
        // Absent outside secure contexts.
        await navigator.clipboard.writeText(text);
        setSaid({ state: 'copied' });
      } catch {
        setSaid({ state: 'failed' });
      }
    },
  };
}
