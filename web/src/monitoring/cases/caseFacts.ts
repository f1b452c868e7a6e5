import { isRecord } from '~/lib/storage';

/** Why the work on a case stopped (decision D45). */
const REASONS = [
  'no_active_recipients',
  'manually_notified_delay_passed',
  'reminder_quota_reached',
  'unknown',
  'manually_blocked',
] as const;

export type BlockedReason = (typeof REASONS)[number] | 'fallback';

/** A reason of the server; `fallback` for one that is not known. */
export const asReason = (code: unknown): BlockedReason => REASONS.find((known) => known === code) ?? 'fallback';

/** The reason of the present block: the one of its date, or the only one of an old record; `fallback` if it is not known. */
export function blockedReason({ metas, blockedDate }: { metas?: unknown; blockedDate?: string | null }): BlockedReason {
  const reasons = isRecord(metas) ? metas.blockedReason : undefined;
  if (!Array.isArray(reasons)) return asReason(reasons);
  const at = new Date(blockedDate ?? Number.NaN).getTime();
  const present = reasons.find((one) => isRecord(one) && new Date(String(one.date)).getTime() === at);
  return asReason(isRecord(present) ? present.reason : undefined);
}

/** Which ads are live, and on how many of the last days any was seen, as far as that is known. */
export function presenceOf(presence: unknown): { ads: boolean; shopping: boolean; days: number | undefined } {
  if (!isRecord(presence)) return { ads: false, shopping: false, days: undefined };
  return {
    ads: presence.ads === true,
    shopping: presence.shopping === true,
    days: typeof presence.daysSeen30 === 'number' ? presence.daysSeen30 : undefined,
  };
}
