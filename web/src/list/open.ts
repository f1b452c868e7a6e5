import type { Me } from '~/api/session';
import type { Dayjs } from '~/lib/dates';
import type { ListSearch } from '~/lib/listSearch';
import { session } from '~/lib/storage';
import { namesList, parseListSearch } from './address';
import { loadSaved, refreshPresets } from './persist';
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
