import type { ListSearch, Where } from '~/lib/listSearch';

/** The page size that means every row. */
const ALL_ROWS = 0;

/**
 * The query string of a list call, without `?`: `page[size]` (`ALL_ROWS` for all), `page[number]`, `sort[by]`, `sort[direction]` and the
 * pairs of `filterPairs`.
 */
export function listQueryString(search: ListSearch): string {
  const query = new URLSearchParams({
    'page[size]': String(search.perPage === 'all' ? ALL_ROWS : search.perPage),
    'page[number]': String(search.page),
    'sort[by]': search.order,
    'sort[direction]': search.direction.toLowerCase(),
  });
  for (const [key, value] of filterPairs(search.filters)) query.append(key, value);
  return query.toString();
}

/** Filters with more values are sent as JSON, at half the length: the server takes 64 KB of address at most. */
const MAX_PAIRS = 50;

/**
 * The filters of a list as query pairs: those of {@link whereClause}, then one `filter` for all filters with more than `MAX_PAIRS` values, as the
 * JSON `{name: {operator: values}}`.
 */
export function filterPairs(filters: ListSearch['filters']): [string, string][] {
  const isLong = (where: Where) => Array.isArray(where.value) && where.value.length > MAX_PAIRS;
  const long = Object.entries(filters).filter(([, where]) => isLong(where));
  const pairs = Object.entries(filters).flatMap(([name, where]) => (isLong(where) ? [] : whereClause(name, where)));
  if (long.length === 0) return pairs;
  const json = Object.fromEntries(long.map(([name, { type, value }]) => [name, { [type]: value }]));
  return [...pairs, ['filter', JSON.stringify(json)]];
}

/**
 * One filter as query pairs: `filters[name][operator]`, with `[start]` and `[end]` for a range, and a pair with `[]` for each value of a list; a text
 * is as it is.
 */
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

/** Totals over all pages of a list. */
export interface AdTotals {
  /** Rows that match. */
  total: number;
  totalAds: number;
  totalViews: number;
}

interface ListEnvelope {
  meta: { page: { total: number; totalAds?: number | null; totalViews?: number | null } };
  links: { next?: string | null; prev?: string | null; exportCSV?: string | null };
}

/** The totals and links of a page, without its rows. */
export const readEnvelope = ({ meta: { page }, links }: ListEnvelope) => ({
  meta: { total: page.total, totalAds: page.totalAds ?? 0, totalViews: page.totalViews ?? 0 } satisfies AdTotals,
  next: links.next ?? undefined,
  prev: links.prev ?? undefined,
  exportCsv: links.exportCSV ?? undefined,
});
