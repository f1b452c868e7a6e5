import { type HomeSearch, readHomeSearch } from './homeSearch';

/** The state of the comparator, which its address holds: period and filters of the home page, and a page. */
export interface ComparatorSearch extends Omit<HomeSearch, 'kind'> {
  page?: number;
}

/** Reads the state from an address; what it cannot read is left out. */
export function readComparatorSearch(raw: Record<string, unknown>): ComparatorSearch {
  const { kind: _, ...search } = readHomeSearch(raw);
  const page = Number(raw.page);
  return { ...search, ...(Number.isSafeInteger(page) && page > 1 && { page }) };
}
