import type { ListSearch, Where } from '~/lib/listSearch';

type Condition = Record<string, unknown>;

/** The `where` of the resource set for the filters of a list; undefined when none is applied. */
export function resourceWhere(filters: ListSearch['filters']): Condition | undefined {
  const conditions = Object.entries(filters).map(([name, where]) => condition(name, where));
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
      // A field that was never filled does not contain the text either.
      return { or: [{ [name]: null }, { [name]: { nilike: `%${literal(where.value)}%` } }] };
  }
}

/** The test that a field contains a text, whatever the case. */
export const containing = (text: string): Condition => ({ ilike: `%${literal(text)}%` });

/** A text without the letters that mean something in a pattern. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** Rows that have no value come last both ways: what was never counted is not first among what was. */
const orderOf = ({ order, direction }: Pick<ListSearch, 'order' | 'direction'>): string =>
  `${order} ${direction} NULLS LAST`;

/** One page of a list of the resource set, as its `filter`. */
export function resourcePage(search: ListSearch, include: readonly unknown[]): string {
  const where = resourceWhere(search.filters);
  const page = search.perPage === 'all' ? {} : { limit: search.perPage, skip: (search.page - 1) * search.perPage };
  // The server lets the id decide between equals, so that no row is on two pages.
  const order = orderOf(search);
  return JSON.stringify({ ...(where && { where }), order, ...page, include });
}

/** The `where` alone, for counting. */
export function resourceCount(search: ListSearch): string | undefined {
  const where = resourceWhere(search.filters);
  return where && JSON.stringify(where);
}

/** The link to all rows of a list as a file. */
export function resourceExport(resource: string, { filters, order, direction }: ListSearch): string {
  const where = resourceWhere(filters);
  const filter = JSON.stringify({ ...(where && { where }), order: orderOf({ order, direction }) });
  return `/api/${resource}/export?${new URLSearchParams({ filter })}`;
}

interface Counted<Row> {
  rows: Row[];
  meta: { total: number };
  next?: string | undefined;
  prev?: string | undefined;
}

/** A page with what it needs to be paged through. When the rows could not be counted, one can still go on while pages are full. */
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

/** A count that is only a comfort: a failure is noted for whoever looks into it, and nobody is told. */
export async function countQuietly(count: Promise<{ count: number }>): Promise<number | undefined> {
  try {
    return (await count).count;
  } catch (error) {
    // biome-ignore lint/suspicious/noConsole: the one trace of a failure that is not worth a message
    console.warn('the rows could not be counted', error);
    return undefined;
  }
}
