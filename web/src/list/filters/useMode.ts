import { useState } from 'react';
import type { Mode } from './ModeSwitch';

/** How a filter applies its values; kept while it has none. */
export function useMode<M extends Mode>(applied: M | undefined, first: M): [M, (mode: M) => void] {
  const [kept, setKept] = useState(applied ?? first);
  if (applied !== undefined && applied !== kept) setKept(applied);
  return [applied ?? kept, setKept];
}
