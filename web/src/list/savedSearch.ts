import type { Me } from '~/api/session';
import { type Dayjs, presetSpan } from '~/lib/dates';
import type { ListSearch, Where } from '~/lib/listSearch';
import { isRecord, local, parseJson, session } from '~/lib/storage';
import { namesList, parseListSearch, toAddress } from './address';
import type { AnyListDef } from './types';

/**
 * What a list opens with: its address if that says anything about the list, else what this person last saw, else the default.
 * Only the latter two are completed, and only once a visit: a completion that was taken away stays away.
 */
export async function openingSearch(
  def: AnyListDef,
  address: Record<string, unknown>,
  me: Me,
  now: Dayjs,
): Promise<ListSearch> {
  const defaults = def.defaults(me, now);
  if (namesList(def, address)) return parseListSearch(def, address, defaults);
  const saved = loadSaved(me.id, def.path, now);
  const search = saved ? refreshPresets(parseListSearch(def, saved, defaults), now) : defaults;
  const visited = `completed:${me.id}:${def.path}`;
  if (!def.complete || session.get(visited)) return search;
  const completed = await def.complete(search, me);
  session.set(visited, '1');
  return completed;
}

/** What 'reset' goes back to. */
export const resetSearch = async (def: AnyListDef, me: Me, now: Dayjs): Promise<ListSearch> => {
  const defaults = def.defaults(me, now);
  return def.complete ? def.complete(defaults, me) : defaults;
};

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
