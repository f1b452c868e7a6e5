import type { ListSearch, Where } from '~/lib/listSearch';

/**
 * The query string of the action search, without `?`: `page[size]` (or `noPaging=true`), `page[number]`, `sortBy=-lastView` (descending), and the
 * filters: `status[]=new`, `country[]=-FR` (excluded), `lastView[start]=…`, `adTitle[regexp]=/shop/i`.
 */
export function actionQueryString(search: ListSearch): string {
  const query = new URLSearchParams({
    ...(search.perPage === 'all' ? { noPaging: 'true' } : { 'page[size]': String(search.perPage) }),
    'page[number]': String(search.page),
    sortBy: `${search.direction === 'DESC' ? '-' : ''}${search.order}`,
  });
  for (const [name, where] of Object.entries(search.filters)) {
    for (const [key, value] of pairs(name, where)) query.append(key, value);
  }
  return query.toString();
}

/**
 * One filter as query pairs: `name[start]` and `name[end]` for a range, `name[]` for each value of a list, `name[regexp]` for a text, as an escaped
 * expression that ignores case. A `-` before a value excludes it.
 */
function pairs(name: string, where: Where): [string, string][] {
  switch (where.type) {
    case 'between':
      return [
        [`${name}[start]`, String(where.value.start)],
        [`${name}[end]`, String(where.value.end)],
      ];
    case 'inq':
    case 'nin':
      return where.value.map((value) => [`${name}[]`, `${where.type === 'nin' ? '-' : ''}${value}`]);
    case 'contain':
    case 'exclude':
      return [[`${name}[regexp]`, `${where.type === 'exclude' ? '-' : ''}/${escaped(where.value)}/i`]];
  }
}

/** Escapes a text for use in a regular expression. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
