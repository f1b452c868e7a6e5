import type { ColDef } from 'ag-grid-community';
import type { FlatNamespace, Namespace, ParseKeys } from 'i18next';
import type { FC } from 'react';
import type { AdSearch } from '~/api/queries/ads';
import type { RowFigures } from '~/api/queries/figures';
import type { Me } from '~/api/session';
import type { DatePreset, Dayjs } from '~/lib/dates';
import type { Formats } from '~/lib/formats';
import type { ListSearch, PerPage, Value, Where } from '~/lib/listSearch';
import type { Figures } from './figures/figures';

export type Filters = ListSearch['filters'];

/** Gives the words of a key of the list's own texts. */
export type Words<Key extends string = string> = (key: Key, options?: Record<string, unknown>) => string;

/** A choice known beforehand; `label` is a key. `values` are what it asks the server for, when that is not its own value. */
export interface Option<Key extends string = string> {
  value: Value;
  label: Key;
  values?: readonly Value[];
  /** Offered to operators and administrators alone. */
  staff?: true;
}

/** A choice found by the server; `label` is shown as it is. */
export interface FoundOption {
  value: Value;
  label: string;
}

export type OptionSearch = (query: string, signal: AbortSignal, filters: Filters) => Promise<FoundOption[]>;

interface FilterBase<Key extends string> {
  label: Key;
  /** Heading of the panel under which it stands. */
  group: Key;
  /** Also stands outside the panel. */
  quick?: true;
  /** Offered only while this holds for the other filters; `hint` says what is missing. */
  needs?: { met(filters: Filters): boolean; hint: Key };
}

export type DateRangeFilter = { kind: 'dateRange'; presets: readonly DatePreset[] };
export type ChoiceFilter<Key extends string = string> = {
  kind: 'choice';
  options: readonly Option<Key>[];
  exclude?: true;
  single?: true;
};
/** Values are countries, two letters each; those of the places that searches are made from are offered. */
export type CountriesFilter = { kind: 'countries'; exclude?: true };
/** Values are ids; the server finds them by their words. */
export type AsyncChoiceFilter = { kind: 'asyncChoice'; search: OptionSearch; exclude?: true; preload?: true };
/** Values are typed or pasted texts, with suggestions where there is a `search`. */
export type ChipsFilter = { kind: 'chips'; search?: OptionSearch; exclude?: true; contain?: true };
/** One free text to be contained or not. */
export type TextFilter = { kind: 'text' };
export type RangeFilter = { kind: 'range'; min: number; max: number; step: number };

export type FilterKindDef<Key extends string = string> =
  | DateRangeFilter
  | ChoiceFilter<Key>
  | CountriesFilter
  | AsyncChoiceFilter
  | ChipsFilter
  | TextFilter
  | RangeFilter;

export type FilterDef<Key extends string = string> = FilterBase<Key> & FilterKindDef<Key>;

/** A column that rows can be ordered by beside those of the table; `label` is a key. */
export interface SortOption<Key extends string = string> {
  order: string;
  label: Key;
}

export interface Counter {
  key: string;
  /** The figure as written, and the words after it. */
  value: string;
  label: string;
}

/** What columns and cells write with. */
export interface Tools<Key extends string = string> {
  t: Words<Key>;
  fmt: Formats;
  /** Opens the ads under a row, or closes them; absent where a list has none. */
  showAds?: ((row: { id: string }) => void) | undefined;
  /** Columns that would say the same in every row. */
  redundant?: readonly string[] | undefined;
  /** What stands beside the rows, once it is there. */
  figures?: { of(id: string): Figures | undefined } | undefined;
}

/** One page of rows as a list's query gives it. A direction without a link cannot be taken. */
export interface ListPage<Row, Meta> {
  rows: Row[];
  meta: Meta;
  next?: string | undefined;
  prev?: string | undefined;
  exportCsv?: string | undefined;
}

/** Where lists are; each is a route of the table in app/routes.tsx. */
export type ListPath = '/terms' | '/domains' | '/advertisers' | '/company-account' | '/users';

/**
 * All that makes one list screen. Filters, quick filters, strip, counters, table, cards, CSV and paging are drawn from it.
 * A filter is one entry of `filters`; its key is the server's name for it and its key in the address.
 */
export interface ListDef<Row extends { id: string }, Meta, Key extends string = string> {
  path: ListPath;
  /** Texts the keys are looked up in, first one first. */
  ns: readonly FlatNamespace[];
  title: Key;
  filters: Readonly<Record<string, FilterDef<Key>>>;
  /** Sort keys the server knows; columns with such an id can be sorted. */
  sorts: readonly string[];
  /** Orders offered in a menu under these filters, each up and down. */
  sortMenu?(filters: Filters): readonly SortOption<Key>[];
  perPage: readonly PerPage[];
  /** What a first visit shows. */
  defaults(me: Me, now: Dayjs): ListSearch;
  /** Asked once a visit for a list opened without filters in its address, and at each reset: adds what needs the server to know. */
  complete?(search: ListSearch, me: Me): Promise<ListSearch>;
  /** Keeps filters that belong together in step. */
  rules?(previous: ListSearch, next: ListSearch): ListSearch;
  columns(tools: Tools<Key>): ColDef<Row>[];
  /** Columns that would say the same in every row under these filters; they are left out. */
  redundant?(filters: Filters, me: Me): readonly string[];
  query(search: ListSearch): {
    queryKey: readonly unknown[];
    queryFn(context: { signal: AbortSignal }): Promise<ListPage<Row, Meta>>;
  };
  counters(meta: Meta, tools: Tools<Key>): Counter[];
  total(meta: Meta): number;
  /** The filters that say which captures could have seen its rows, as the lists of ads name them. A list of anything else has none. */
  captures?(filters: Filters): Filters;
  /** What a row is called. */
  rowName(row: Row): string;
  /** What the text box looks through. */
  rowText(row: Row): string;
  /** Start of the CSV file's name; the date follows. */
  exportName: string;
  /** Shown as a toast when the rows cannot be loaded. */
  failure: Key;
  /** A page that cannot be turned to is told of in the words of the error instead. */
  tellsPageFailure?: true;
  card: FC<{ row: Row; tools: Tools }>;
  /** Asks for the figures beside some rows, and says what they are compared with. A list without has no such columns. */
  figures?: {
    query(
      search: ListSearch,
      ids: readonly string[],
    ): {
      queryKey: readonly unknown[];
      queryFn(context: { signal: AbortSignal }): Promise<RowFigures>;
    };
    views(row: Row): number;
    total(meta: Meta): number;
  };
  /** The ads of a row under the filters of the list, and what stands over them. A list without has no portal. */
  ads?(row: Row, filters: Filters): { title: string; search: AdSearch };
  /** What can be done with the selected rows; `onDone` clears the selection. */
  bulk?: FC<{ rows: readonly Row[]; onDone(): void }>;
  /** What can be done from the list that is about no row of it, such as making one. */
  actions?: FC;
}

// biome-ignore lint/suspicious/noExplicitAny: stands for a list of any row; each definition is checked where it is made
export type AnyListDef = ListDef<any, any, any>;

/** Defines a list whose keys are checked against the texts of `NS`. */
export const defineList =
  <NS extends Namespace>() =>
  <Row extends { id: string }, Meta>(def: ListDef<Row, Meta, ParseKeys<NS>>): ListDef<Row, Meta, ParseKeys<NS>> =>
    def;

export type { Where };
