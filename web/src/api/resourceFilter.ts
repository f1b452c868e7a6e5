import type { ListSearch, Where } from '~/lib/listSearch';

type Condition = Record<string, unknown>;

/** The conditions of filters that are more than a test of the field of their name; undefined where that test will do. */
export type OwnConditions = Readonly<Record<string, (where: Where) => Condition | undefined>>;

/** What a resource asks for beside the filters of the list. */
interface Extra {
  own?: OwnConditions;
  /** The field that orders equal rows. */
  thenBy?: string;
  /** One more condition, for a count. */
  also?: Condition;
}

/** The filters of a list as a LoopBack `where`; undefined without filters. */
export function resourceWhere(filters: ListSearch['filters'], own: OwnConditions = {}): Condition | undefined {
  const conditions = Object.entries(filters).map(([name, where]) => own[name]?.(where) ?? condition(name, where));
  return conditions.length === 0 ? undefined : { and: conditions };
}

/**
 * One filter as a LoopBack condition: `between`, `inq`, `nin` or a text contained in any case, in which wildcards are literal; `exclude` also keeps
 * rows without a value.
 */
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

/** Rows without a value come last in both directions; equal ones are ordered by the field `thenBy`. */
function orderOf({ order, direction }: Pick<ListSearch, 'order' | 'direction'>, thenBy: string | undefined): string {
  const first = `${order} ${direction} NULLS LAST`;
  return thenBy === undefined || thenBy === order ? first : `${first},${thenBy} ASC`;
}

/** The server's word for no limit; without one it answers 100 rows. */
export const EVERY_ROW = 0;

/** The LoopBack `filter` of one page as JSON: the filters of the list, its order, the rows of the page (`all` means no limit) and what to include. */
export function resourcePage(search: ListSearch, include: readonly unknown[], { own, thenBy }: Extra = {}): string {
  const where = resourceWhere(search.filters, own);
  const { perPage } = search;
  const page = perPage === 'all' ? { limit: EVERY_ROW } : { limit: perPage, skip: (search.page - 1) * perPage };
  // The server breaks ties by id, so that no row is on two pages.
  const order = orderOf(search, thenBy);
  return JSON.stringify({ ...(where && { where }), order, ...page, include });
}

/** The `where` alone, for counting. */
export function resourceCount({ filters }: ListSearch, { own, also }: Extra = {}): string | undefined {
  const where = resourceWhere(filters, own);
  const both = where && also ? { and: [where, also] } : (where ?? also);
  return both && JSON.stringify(both);
}

/** The export link of a list. */
export function resourceExport(resource: string, search: ListSearch, { own, thenBy }: Extra = {}): string {
  const where = resourceWhere(search.filters, own);
  const filter = JSON.stringify({ ...(where && { where }), order: orderOf(search, thenBy) });
  return `/api/${resource}/export?${new URLSearchParams({ filter })}`;
}

interface Counted<Row> {
  rows: Row[];
  meta: { total: number };
  next?: string | undefined;
  prev?: string | undefined;
}

/**
 * A page of rows with its total. `next` and `prev` are no links: they are only set where there is such a page. Without a total, a full
 * page counts as having one row after it.
 */
export function counted<Row>(search: ListSearch, rows: Row[], total: number | undefined): Counted<Row> {
  const size = search.perPage === 'all' ? rows.length : search.perPage;
  const before = (search.page - 1) * size;
  const mayHaveMore = search.perPage !== 'all' && rows.length === size;
  const known = total ?? before + rows.length + (mayHaveMore ? 1 : 0);
  return {
    rows,
    meta: { total: known },
    next: search.perPage !== 'all' && before + rows.length < known ? 'next' : undefined,
    prev: search.page > 1 ? 'prev' : undefined,
  };
}

/** An optional count: a failure is logged, not shown. */
export const countQuietly = async (count: Promise<{ count: number }>): Promise<number | undefined> =>
  (await quietly(count))?.count;

/** What was counted, if it could be: a failure is logged, not shown. A count that nobody waits for any more did not fail. */
export async function quietly<Counts>(counting: Promise<Counts>): Promise<Counts | undefined> {
  try {
    return await counting;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    // biome-ignore lint/suspicious/noConsole: the only trace of this failure
    console.warn('the rows could not be counted', error);
    return undefined;
  }
}
