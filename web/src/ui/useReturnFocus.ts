import { useCallback, useEffect, useState } from 'react';

/** What had the focus; of an item of a menu, which closes, the button of the menu. */
function focused(): HTMLElement | null {
  const { activeElement } = document;
  const menu = activeElement?.closest('[role="menu"]');
  const button = menu && document.getElementById(menu.getAttribute('aria-labelledby') ?? '');
  const held = button ?? activeElement;
  return held instanceof HTMLElement ? held : null;
}

/** After what held the focus is gone, with all that reacts to it. */
const afterwards = (act: () => void) => requestAnimationFrame(() => requestAnimationFrame(act));

/**
 * Gives the focus back to where it was before this came, if it would be lost when this goes. What it answers does so in any case: for
 * whoever closes it by its own means, where something else takes the focus meanwhile.
 */
export function useReturnFocus(): () => void {
  // While it is drawn, before anything in it takes the focus.
  const [before] = useState(focused);
  const giveBack = useCallback(() => {
    afterwards(() => before?.isConnected && before.focus({ preventScroll: true }));
  }, [before]);
  useEffect(
    () => () => {
      afterwards(() => {
        const lost = document.activeElement === null || document.activeElement === document.body;
        if (lost && before?.isConnected) before.focus({ preventScroll: true });
      });
    },
    [before],
  );
  return giveBack;
}
