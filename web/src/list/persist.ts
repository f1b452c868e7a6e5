import { type Dayjs, presetSpan } from '~/lib/dates';
import type { ListSearch, Where } from '~/lib/listSearch';
import { isRecord, local, parseJson } from '~/lib/storage';
import { toAddress } from './address';

/** How long a list is remembered. */
export const KEPT_DAYS = 15;

/** A list is saved this long after its last change. */
export const WRITE_DELAY_MS = 200;

const DAY_MS = 86_400_000;

const keyOf = (userId: number, path: string): string => `list:v1:${userId}:${path}`;

/** What this person last saw on this list, as the keys of an address; undefined when it is too old or unreadable. */
export function loadSaved(userId: number, path: string, now: Dayjs): Record<string, unknown> | undefined {
  const saved = parseJson(local.get(keyOf(userId, path)));
  if (!isRecord(saved) || typeof saved.at !== 'number' || !isRecord(saved.search)) return undefined;
  if (now.valueOf() - saved.at > KEPT_DAYS * DAY_MS) return undefined;
  return saved.search;
}

export function save(userId: number, path: string, search: ListSearch, now: Dayjs): void {
  local.set(keyOf(userId, path), JSON.stringify({ at: now.valueOf(), search: toAddress(search) }));
}

export const clearSaved = (userId: number, path: string): void => local.remove(keyOf(userId, path));

/** A saved 'last 7 days' means the last 7 days of now, not of the day it was saved. */
export function refreshPresets(search: ListSearch, now: Dayjs): ListSearch {
  const refreshed = Object.entries(search.filters).map(([name, where]): [string, Where] =>
    'preset' in where && where.preset ? [name, { ...where, value: presetSpan(where.preset, now) }] : [name, where],
  );
  return { ...search, filters: Object.fromEntries(refreshed) };
}
