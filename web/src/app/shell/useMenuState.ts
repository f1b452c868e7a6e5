import { useEffect, useRef, useState } from 'react';
import { local } from '~/lib/storage';
import { useDevice } from '~/ui/environment';

/** Hovering this long opens a minimised menu. */
const HOVER_DELAY_MS = 300;

/** One setting per kind of window: wide ones start open, others minimised. */
const KEY = { wide: 'menu:v1:wide', narrow: 'menu:v1:narrow' };

export interface MenuState {
  /** Open beside the page. */
  pinned: boolean;
  /** Minimised, but opened over the page by hover or focus. */
  hovering: boolean;
  togglePin(): void;
  enter(): void;
  leave(): void;
}

/**
 * The state of the side menu. Windows of up to 1440 px start minimised and wider ones pinned, each unless chosen otherwise, which local
 * storage keeps. `enter` opens a minimised menu after `HOVER_DELAY_MS`, `leave` closes it.
 */
export function useMenuState(): MenuState {
  const wide = useDevice() === 'desktop';
  const key = wide ? KEY.wide : KEY.narrow;
  const [choices, setChoices] = useState<Record<string, string | null>>({});
  const chosen = choices[key] ?? local.get(key);
  const pinned = chosen === null ? wide : chosen === 'open';

  const [hovering, setHovering] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  return {
    pinned,
    hovering: hovering && !pinned,
    togglePin() {
      const next = pinned ? 'mini' : 'open';
      local.set(key, next);
      setChoices({ ...choices, [key]: next });
      setHovering(false);
    },
    enter() {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setHovering(true), HOVER_DELAY_MS);
    },
    leave() {
      clearTimeout(timer.current);
      setHovering(false);
    },
  };
}
