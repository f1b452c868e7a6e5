import { useState } from 'react';
import { local } from '~/lib/storage';

/** Whether a user wants cards that show less, which is remembered for all lists of cards. */
export function useCompact(userId: number): [boolean, (compact: boolean) => void] {
  const key = `cards:v1:${userId}`;
  const [compact, setCompact] = useState(() => local.get(key) === 'compact');
  return [
    compact,
    (next) => {
      if (next) local.set(key, 'compact');
      else local.remove(key);
      setCompact(next);
    },
  ];
}
