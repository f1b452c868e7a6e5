import { type HomeSearch, readHomeSearch } from './homeSearch';

/** The state of the comparator, which its address holds: period and filters of the home page, and a page from the second on. */
export type ComparatorSearch = HomeSearch & { page?: number };

/** Reads the state from an address; what it cannot read is left out. */
export const readComparatorSearch = (raw: Record<string, unknown>): ComparatorSearch => ({
  ...readHomeSearch(raw),
  ...(Number(raw.page) > 1 && { page: Math.floor(Number(raw.page)) }),
});
