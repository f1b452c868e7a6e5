import type { ListSearch, Where } from '~/lib/listSearch';

/** The page size that asks the server for every row. */
const ALL_ROWS = 0;

/** The query text of a list call: `page[size]`, `sort[by]`, `filters[name][operator]`. */
export function listQueryString(search: ListSearch): string {
  const query = new URLSearchParams({
    'page[size]': String(search.perPage === 'all' ? ALL_ROWS : search.perPage),
    'page[number]': String(search.page),
    'sort[by]': search.order,
    'sort[direction]': search.direction.toLowerCase(),
  });
  for (const [name, where] of Object.entries(search.filters)) {
    for (const [key, value] of whereClause(name, where)) query.append(key, value);
  }
  return query.toString();
}

/** One filter as the server reads it. */
export function whereClause(name: string, where: Where): [string, string][] {
  const key = `filters[${name}][${where.type}]`;
  switch (where.type) {
    case 'between':
      return [
        [`${key}[start]`, String(where.value.start)],
        [`${key}[end]`, String(where.value.end)],
      ];
    case 'inq':
    case 'nin':
      return where.value.map((value) => [`${key}[]`, String(value)]);
    case 'contain':
    case 'exclude':
      return [[key, where.value]];
  }
}
