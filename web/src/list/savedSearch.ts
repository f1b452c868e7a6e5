import type { Me } from '~/api/session';
import { type Dayjs, presetSpan } from '~/lib/dates';
import type { ListSearch, Where } from '~/lib/listSearch';
import { isRecord, local, parseJson, session } from '~/lib/storage';
import { hasListKeys, parseListSearch, toAddress } from './address';
import type { AnyListDef } from './types';

/**
 * What a list opens with: its address if it has any key of the list, else the state saved last with its presets moved to today, else the
 * default. Only the latter two are completed, once per visit, so that a filter the user removed stays removed. Rejects if completing fails.
 */
export async function initialSearch(
  def: AnyListDef,
  address: Record<string, unknown>,
  me: Me,
  now: Dayjs,
): Promise<ListSearch> {
  const defaults = def.defaults(me, now);
  if (hasListKeys(def, address)) return parseListSearch(def, address, defaults);
  const saved = loadSaved(me.id, def.path, now);
  const search = saved ? refreshPresets(parseListSearch(def, saved, defaults), now) : defaults;
  const visited = `completed:${me.id}:${def.path}`;
  if (!def.complete || session.get(visited)) return search;
  const completed = await def.complete(search, me);
  session.set(visited, '1');
  return completed;
}

/** The state after a reset. */
export const resetSearch = async (def: AnyListDef, me: Me, now: Dayjs): Promise<ListSearch> => {
  const defaults = def.defaults(me, now);
  return def.complete ? def.complete(defaults, me) : defaults;
};

/** How long the state of a list is kept. */
export const KEPT_DAYS = 15;

/** Saves this long after the last change. */
export const WRITE_DELAY_MS = 200;

const DAY_MS = 86_400_000;

const storageKey = (userId: number, path: string): string => `list:v1:${userId}:${path}`;

/** The user's last state of a list, as search params; undefined when it is too old or unreadable. */
export function loadSaved(userId: number, path: string, now: Dayjs): Record<string, unknown> | undefined {
  const saved = parseJson(local.get(storageKey(userId, path)));
  if (!isRecord(saved) || typeof saved.at !== 'number' || !isRecord(saved.search)) return undefined;
  if (now.valueOf() - saved.at > KEPT_DAYS * DAY_MS) return undefined;
  return saved.search;
}

export function save(userId: number, path: string, search: ListSearch, now: Dayjs): void {
  local.set(storageKey(userId, path), JSON.stringify({ at: now.valueOf(), search: toAddress(search) }));
}

export const clearSaved = (userId: number, path: string): void => local.remove(storageKey(userId, path));

/** Moves presets to today: a saved 'last 7 days' means the last 7 days from now. */
export function refreshPresets(search: ListSearch, now: Dayjs): ListSearch {
  const refreshed = Object.entries(search.filters).map(([name, where]): [string, Where] =>
    'preset' in where && where.preset ? [name, { ...where, value: presetSpan(where.preset, now) }] : [name, where],
  );
  return { ...search, filters: Object.fromEntries(refreshed) };
}
