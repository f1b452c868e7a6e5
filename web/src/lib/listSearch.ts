import type { DatePreset } from './dates';

/** The value of one filter. `labels` name the values, so that a shared address shows names at once. */
export type Where =
  | { type: 'between'; value: { start: string; end: string }; preset?: DatePreset }
  | { type: 'between'; value: { start: number; end: number } }
  | { type: 'inq' | 'nin'; value: readonly Value[]; labels?: readonly string[] }
  | { type: 'contain' | 'exclude'; value: string };

export type Value = string | number;

export type Direction = 'ASC' | 'DESC';

/** Rows on a page; 'all' asks for every row. */
export type PerPage = number | 'all';

/** The state of a list. In the address each field is one key, and each filter another. */
export interface ListSearch {
  page: number;
  perPage: PerPage;
  /** A sort key of the server. */
  order: string;
  direction: Direction;
  filters: Readonly<Record<string, Where>>;
}

export const FIRST_PAGE = 1;

/** All rows that the filters of a list leave, on every page: the server's condition, and how many they are. */
export interface WholeList {
  where: string;
  count: number;
}
