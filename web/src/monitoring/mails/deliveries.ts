import type { Delivery, DeliveryState, Mail } from '~/api/queries/caseMails';

/** What is said of a delivery: its state, what a person found out about it, or that it came back. */
export type ShownState = DeliveryState | 'arrived' | 'lost' | 'bounced';

/** What needs somebody comes first. */
const ORDER: readonly ShownState[] = [
  'failed',
  'unknown',
  'bounced',
  'held',
  'sending',
  'queued',
  'sent',
  'arrived',
  'lost',
  'cancelled',
];

export const shownState = ({ state, ruling, bouncedAt }: Delivery): ShownState =>
  bouncedAt ? 'bounced' : (ruling ?? state);

/** How many deliveries of a mail are in each state, those that need somebody first. */
export function statesOf(deliveries: readonly Delivery[]): { state: ShownState; count: number }[] {
  const shown = deliveries.map(shownState);
  return ORDER.map((state) => ({ state, count: shown.filter((one) => one === state).length })).filter(
    ({ count }) => count > 0,
  );
}

/** Deliveries that nobody has dealt with: they failed, or what became of them is not known. */
export const troubled = ({ deliveries }: Mail): readonly Delivery[] =>
  deliveries.filter((one) => ['failed', 'unknown'].includes(shownState(one)));

/** How long a mail can still be taken back, in milliseconds; 0 where it cannot. */
export const undoLeft = ({ undoUntil }: Mail, now: number): number =>
  undoUntil === null ? 0 : Math.max(0, Date.parse(undoUntil) - now);
