import type { QueryKey } from '@tanstack/react-query';
import type { Operation } from '~/api/queries/undo';

/** How long it can be undone. The server waits a little longer, for what is on its way. */
export const UNDO_MS = 10_000;

/** An operation that can still be undone. */
export interface UndoOffer {
  operation: Operation;
  /** Undoes what the server does not know as an operation, which is a name alone then. */
  undo?(): Promise<unknown>;
  /** What was done. */
  text: string;
  /** Keys of the queries that show it. */
  changes: readonly QueryKey[];
  /** Offered by a modal that stays open: the bar is above it. */
  inModal?: boolean;
  /** Called when it was undone. */
  onUndone?(): void;
  /** When the offer ends, on the clock of `performance.now()`. */
  until: number;
}

let offered: UndoOffer | undefined;
const listeners = new Set<() => void>();

function set(offer: UndoOffer | undefined): void {
  offered = offer;
  for (const listener of listeners) listener();
}

/** Offers to undo an operation, in place of what was offered before. The bar shows it on every screen. */
export const offerUndo = (offer: Omit<UndoOffer, 'until'>): void =>
  set({ ...offer, until: performance.now() + UNDO_MS });

/** Ends an offer, unless another one has taken its place. */
export const endOffer = (offer: UndoOffer): void => {
  if (offered === offer) set(undefined);
};

/** The store of the offer, for `useSyncExternalStore`. */
export const undoOffer = {
  get: () => offered,
  subscribe(changed: () => void) {
    listeners.add(changed);
    return () => listeners.delete(changed);
  },
};
