import { useEffect, useRef } from 'react';
import { areKeysOn, type Keys, keyListener } from '~/lib/keys';

/** While mounted, runs what `keys` has for the keys that the user presses anywhere on the page, unless they switched single keys off. */
export function useKeys(userId: number, keys: Keys): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const listen = keyListener(
      () => latest.current,
      () => areKeysOn(userId),
    );
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [userId]);
}
