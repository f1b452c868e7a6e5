import { useCallback, useEffect, useState } from 'react';

/** The focused element; for a menu item, which is about to unmount, the button of its menu. */
function focused(): HTMLElement | null {
  const { activeElement } = document;
  const menu = activeElement?.closest('[role="menu"]');
  const button = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  const held = button ?? activeElement;
  return held instanceof HTMLElement ? held : null;
}

/** Two frames later: the focused element has unmounted, and others have reacted to that. */
const afterFocusMoved = (act: () => void) => requestAnimationFrame(() => requestAnimationFrame(act));

/**
 * On unmount, returns the focus to where it was before mount, if it would be lost. The returned function always returns it: for explicit
 * closing, when something else takes the focus meanwhile.
 */
export function useReturnFocus(): () => void {
  // During render, before a child takes the focus.
  const [before] = useState(focused);
  const returnFocus = useCallback(() => {
    afterFocusMoved(() => before?.isConnected && before.focus({ preventScroll: true }));
  }, [before]);
  useEffect(
    () => () => {
      afterFocusMoved(() => {
        const lost = document.activeElement === null || document.activeElement === document.body;
        if (lost && before?.isConnected) before.focus({ preventScroll: true });
      });
    },
    [before],
  );
  return returnFocus;
}
