import type { ListSearch, Where } from '~/lib/listSearch';

type Condition = Record<string, unknown>;

/** The conditions of filters that are more than a test of the field of their name; undefined where that test will do. */
export type OwnConditions = Readonly<Record<string, (where: Where) => Condition | undefined>>;

/** The filters of a list as a LoopBack `where`; undefined without filters. */
export function resourceWhere(filters: ListSearch['filters'], own: OwnConditions = {}): Condition | undefined {
  const conditions = Object.entries(filters).map(([name, where]) => own[name]?.(where) ?? condition(name, where));
  return conditions.length === 0 ? undefined : { and: conditions };
}

function condition(name: string, where: Where): Condition {
  switch (where.type) {
    case 'between':
      return { [name]: { between: [where.value.start, where.value.end] } };
    case 'inq':
    case 'nin':
      return { [name]: { [where.type]: where.value } };
    case 'contain':
      return { [name]: containing(where.value) };
    case 'exclude':
      // SQL: null is neither like nor unlike a text, but does not contain it.
      return { or: [{ [name]: null }, { [name]: { nilike: `%${literal(where.value)}%` } }] };
  }
}

/** Contains a text, ignoring case. */
export const containing = (text: string): Condition => ({ ilike: `%${literal(text)}%` });

/** Escapes a text for use in a LIKE pattern. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** Rows without a value come last in both directions. */
const orderOf = ({ order, direction }: Pick<ListSearch, 'order' | 'direction'>): string =>
  `${order} ${direction} NULLS LAST`;

/** The LoopBack `filter` of one page. */
export function resourcePage(search: ListSearch, include: readonly unknown[], own?: OwnConditions): string {
  const where = resourceWhere(search.filters, own);
  const page = search.perPage === 'all' ? {} : { limit: search.perPage, skip: (search.page - 1) * search.perPage };
  // The server breaks ties by id, so that no row is on two pages.
  const order = orderOf(search);
  return JSON.stringify({ ...(where && { where }), order, ...page, include });
}

/** The `where` alone, for counting. */
export function resourceCount(search: ListSearch, own?: OwnConditions): string | undefined {
  const where = resourceWhere(search.filters, own);
  return where && JSON.stringify(where);
}

/** The export link of a list. */
export function resourceExport(
  resource: string,
  { filters, order, direction }: ListSearch,
  own?: OwnConditions,
): string {
  const where = resourceWhere(filters, own);
  const filter = JSON.stringify({ ...(where && { where }), order: orderOf({ order, direction }) });
  return `/api/${resource}/export?${new URLSearchParams({ filter })}`;
}

interface Counted<Row> {
  rows: Row[];
  meta: { total: number };
  next?: string | undefined;
  prev?: string | undefined;
}

/** A page of rows with its links. Without a total there is a next page as long as this one is full. */
export function counted<Row>(search: ListSearch, rows: Row[], total: number | undefined): Counted<Row> {
  const size = search.perPage === 'all' ? rows.length : search.perPage;
  const before = (search.page - 1) * size;
  const known = total ?? before + rows.length + (rows.length === size ? 1 : 0);
  return {
    rows,
    meta: { total: known },
    next: search.perPage !== 'all' && before + rows.length < known ? 'next' : undefined,
    prev: search.page > 1 ? 'prev' : undefined,
  };
}

/** An optional count: a failure is logged, not shown. */
export async function countQuietly(count: Promise<{ count: number }>): Promise<number | undefined> {
  try {
    return (await count).count;
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: the only trace of this failure
    console.warn('the rows could not be counted', error);
    return undefined;
  }
}
