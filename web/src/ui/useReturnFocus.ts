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
 * Two frames after unmount, focuses what had the focus before mount (for a menu item the button of its menu), if that is still there and nothing
 * else has the focus. The returned function does so whatever has it: for explicit closing.
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
