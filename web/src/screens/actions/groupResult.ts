import type { GroupResult } from '~/api/queries/actions';

let result: GroupResult | undefined;
const listeners = new Set<() => void>();

/** What the last change of a group came to, until the reader closes it or makes another. */
export const groupResult = {
  get: (): GroupResult | undefined => result,
  set(next: GroupResult | undefined): void {
    result = next;
    for (const listener of listeners) listener();
  },
  subscribe(changed: () => void): () => void {
    listeners.add(changed);
    return () => {
      listeners.delete(changed);
    };
  },
};
