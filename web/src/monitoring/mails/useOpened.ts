import { useCallback, useState } from 'react';
import type { Mail } from '~/api/queries/caseMails';
import { openAtFirst } from './thread';

/** Which mails of a thread are open. */
export function useOpened(mails: readonly Mail[]) {
  const [opened, setOpened] = useState(() => openAtFirst(mails));
  const setOpen = useCallback((id: number, open: boolean | 'toggle') => {
    setOpened((before) => {
      const after = new Set(before);
      if (open === true || (open === 'toggle' && !before.has(id))) after.add(id);
      else after.delete(id);
      return after;
    });
  }, []);
  return { opened, setOpen };
}
