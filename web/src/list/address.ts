import { FIRST_PAGE, type ListSearch, type PerPage, type Where } from '~/lib/listSearch';
import { parseWhere } from './filters/kinds';
import type { AnyListDef, FilterDef } from './types';

type ListShape = Pick<AnyListDef, 'filters' | 'sorts' | 'unsorted' | 'perPage' | 'mostPerPage'>;

const SHARED_KEYS = ['page', 'perPage', 'order', 'direction'] as const;

/** Whether an address has any key of a list, and so takes precedence over the saved state. */
export const hasListKeys = (def: ListShape, raw: Record<string, unknown>): boolean =>
  [...SHARED_KEYS, ...Object.keys(def.filters)].some((key) => raw[key] !== undefined);

/**
 * Reads the state of a list from an address or from storage. Never fails: filters that are missing or invalid are not applied, even if
 * `defaults` has them; anything else is then that of `defaults`, but the page the first, the direction of a valid order ascending, and the order of
 * an address without one that of an `unsorted` list.
 */
export function parseListSearch(def: ListShape, raw: Record<string, unknown>, defaults: ListSearch): ListSearch {
  const sorted = typeof raw.order === 'string' && def.sorts.includes(raw.order);
  const fallback = (hasListKeys(def, raw) && def.unsorted) || defaults;
  return {
    page: Number.isInteger(raw.page) && Number(raw.page) >= FIRST_PAGE ? Number(raw.page) : FIRST_PAGE,
    perPage: parsePerPage(def, raw.perPage) ?? defaults.perPage,
    order: sorted ? String(raw.order) : fallback.order,
    direction:
      raw.direction === 'ASC' || raw.direction === 'DESC' ? raw.direction : sorted ? 'ASC' : fallback.direction,
    filters: parseFilters(def.filters, raw),
  };
}

/** A page size that the list offers or takes; undefined for any other value. */
function parsePerPage({ perPage, mostPerPage = 0 }: ListShape, raw: unknown): PerPage | undefined {
  const isTaken = typeof raw === 'number' && Number.isInteger(raw) && raw >= 1 && raw <= mostPerPage;
  return isTaken ? raw : perPage.find((size) => size === raw);
}

function parseFilters(defs: Readonly<Record<string, FilterDef>>, raw: Record<string, unknown>): Record<string, Where> {
  const found = Object.entries(defs).map(([name, def]) => [name, parseWhere(def, raw[name])] as const);
  return Object.fromEntries(found.filter((entry): entry is [string, Where] => entry[1] !== undefined));
}

/** The state of a list as search params. */
export const toAddress = ({ filters, ...shared }: ListSearch): Record<string, unknown> => ({ ...shared, ...filters });

/** Whether two states show the same rows in the same order. */
export const sameAddress = (one: Record<string, unknown>, other: Record<string, unknown>): boolean =>
  canonical(one) === canonical(other);

const canonical = (address: Record<string, unknown>): string =>
  JSON.stringify(
    Object.entries(address)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** Changes the page. */
export const withPage = (search: ListSearch, page: number): ListSearch => ({ ...search, page });

/** Changes the page size, and goes to the first page. */
export const withPerPage = (search: ListSearch, perPage: PerPage): ListSearch => ({
  ...search,
  perPage,
  page: FIRST_PAGE,
});

/** Sorts by a column, ascending first; reverses when it is sorted by it already. */
export const withSort = (search: ListSearch, order: string): ListSearch => ({
  ...search,
  page: FIRST_PAGE,
  order,
  direction: search.order === order && search.direction === 'ASC' ? 'DESC' : 'ASC',
});

/** Replaces the filters, and goes to the first page. */
export const withFilters = (search: ListSearch, filters: ListSearch['filters']): ListSearch => ({
  ...search,
  page: FIRST_PAGE,
  filters,
});

/** Sets one filter, or removes it when there is no value. */
export function putFilter(
  filters: ListSearch['filters'],
  name: string,
  where: Where | undefined,
): ListSearch['filters'] {
  const { [name]: _, ...others } = filters;
  return where ? { ...others, [name]: where } : others;
}

/** Sets or removes one filter, and goes to the first page. */
export const withFilter = (search: ListSearch, name: string, where: Where | undefined): ListSearch =>
  withFilters(search, putFilter(search.filters, name, where));
