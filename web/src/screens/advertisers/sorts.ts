import type { ListSearch } from '~/lib/listSearch';
import type { Filters } from '~/list/types';

/** The orders that are always offered. */
const ALWAYS = [
  { order: 'lastView', label: 'sort.lastView' },
  { order: 'createdDate', label: 'sort.createdDate' },
  { order: 'requestedDate', label: 'sort.requestedDate' },
  { order: 'updatedDate', label: 'sort.updatedDate' },
] as const;

/** The orders that make sense while one of these statuses is asked for. */
const OF_STATUS = [
  { order: 'inprogressDate', label: 'sort.inprogressDate', statuses: ['inprogress', 'reminded', 'blocked'] },
  { order: 'acceptedDate', label: 'sort.acceptedDate', statuses: ['accepted'] },
  { order: 'refusedDate', label: 'sort.refusedDate', statuses: ['refused'] },
  { order: 'reappearanceDate', label: 'sort.reappearanceDate', statuses: ['reappearance'] },
  { order: 'disappearedDate', label: 'sort.disappearedDate', statuses: ['disappeared'] },
] as const;

/** Every order of the server. */
export const SORTS = [...ALWAYS.map(({ order }) => order), ...OF_STATUS.map(({ order }) => order), 'domain'];

export const DEFAULT_SORT = { order: 'lastView', direction: 'DESC' } as const;

/** The orders offered under these filters. */
export function sortMenu({ status }: Filters) {
  const asked = status?.type === 'inq' ? status.value.map(String) : [];
  const more = OF_STATUS.filter(({ statuses }) => statuses.some((one) => asked.includes(one)));
  return [...ALWAYS, ...more];
}

/** An order that goes with a status goes away with it. */
export function sortWithStatus(_previous: ListSearch, next: ListSearch): ListSearch {
  const offered: readonly string[] = [...sortMenu(next.filters).map(({ order }) => order), 'domain'];
  return offered.includes(next.order) ? next : { ...next, ...DEFAULT_SORT };
}
