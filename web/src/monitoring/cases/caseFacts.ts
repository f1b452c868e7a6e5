import { isRecord } from '~/lib/storage';
import type { Translate } from '~/list/types';

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

interface Blocked {
  metas?: unknown;
  blockedDate?: string | null;
}

/** The reason of the present block as it is kept: that of its date, or the only one of an old record. */
function keptReason({ metas, blockedDate }: Blocked): unknown {
  const reasons = isRecord(metas) ? metas.blockedReason : undefined;
  if (!Array.isArray(reasons)) return reasons;
  const at = new Date(blockedDate ?? Number.NaN).getTime();
  const present = reasons.find((one) => isRecord(one) && new Date(String(one.date)).getTime() === at);
  return isRecord(present) ? present.reason : undefined;
}

/** The reason of the present block; `fallback` if it is not known. */
export const blockedReason = (row: Blocked): BlockedReason => asReason(keptReason(row));

/** The reason of the present block in words: one of the server's in the reader's language, and the whole text of an old record as it is. */
export function blockedText(row: Blocked, t: Translate): string {
  const whole = isRecord(row.metas) ? row.metas.blockedReason : undefined;
  const reason = blockedReason(row);
  const isWritten = reason === 'fallback' && typeof whole === 'string' && whole.trim() !== '';
  return isWritten ? whole.trim() : t(`actions:blocked.${reason}`);
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
