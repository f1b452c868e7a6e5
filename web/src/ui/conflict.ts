import { type AsOf, type ChangedSince, changedSince } from '~/api/asOf';

/** A change that would overwrite what somebody else did, until the user decides. */
export interface Conflict {
  changed: ChangedSince;
  /** What the user had seen. */
  since: AsOf;
  decide(overwrite: boolean): void;
}

/** The user chose to keep what somebody else did. */
export class KeptTheirs extends Error {
  override readonly name = 'KeptTheirs';
}

let open: Conflict | undefined;
const listeners = new Set<() => void>();

function set(conflict: Conflict | undefined): void {
  open = conflict;
  for (const listener of listeners) listener();
}

/** Asks whether to overwrite what somebody else did. A question that is open is answered with no. */
function ask(changed: ChangedSince, since: AsOf): Promise<boolean> {
  open?.decide(false);
  return new Promise((resolve) => {
    const conflict: Conflict = {
      changed,
      since,
      decide(overwrite) {
        if (open === conflict) set(undefined);
        resolve(overwrite);
      },
    };
    set(conflict);
  });
}

/**
 * Makes a change of what was seen. Where somebody else did the same since, it shows that and asks the user: the change is made again, or
 * `KeptTheirs` is thrown.
 */
export async function unlessChanged<Result>(
  seen: AsOf | undefined,
  change: (seen: AsOf | undefined) => Promise<Result>,
): Promise<Result> {
  let known = seen;
  for (;;) {
    try {
      return await change(known);
    } catch (error) {
      const changed = changedSince(error);
      if (!changed || known === undefined) throw error;
      if (!(await ask(changed, known))) throw new KeptTheirs();
      known = changed.asOf;
    }
  }
}

/** The store of the open question, for `useSyncExternalStore`. */
export const openConflict = {
  get: () => open,
  subscribe(changed: () => void) {
    listeners.add(changed);
    return () => listeners.delete(changed);
  },
};
