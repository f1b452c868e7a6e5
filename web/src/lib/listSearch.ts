import type { DatePreset } from './dates';

/** What one filter asks for. `labels` are the words of the values, kept so that a shared address reads well at once. */
export type Where =
  | { type: 'between'; value: { start: string; end: string }; preset?: DatePreset }
  | { type: 'between'; value: { start: number; end: number } }
  | { type: 'inq' | 'nin'; value: readonly Value[]; labels?: readonly string[] }
  | { type: 'contain' | 'exclude'; value: string };

export type Value = string | number;

export type Direction = 'ASC' | 'DESC';

/** Rows on a page; 'all' asks for every row. */
export type PerPage = number | 'all';

/** What a list shows: in the address one key each, and one key per filter. */
export interface ListSearch {
  page: number;
  perPage: PerPage;
  /** A sort key of the server. */
  order: string;
  direction: Direction;
  filters: Readonly<Record<string, Where>>;
}

export const FIRST_PAGE = 1;
