import type { ColDef } from 'ag-grid-community';
import type { FlatNamespace, Namespace, ParseKeys } from 'i18next';
import type { FC } from 'react';
import type { AdSearch } from '~/api/queries/ads';
import type { RowFigures } from '~/api/queries/figures';
import type { Me } from '~/api/session';
import type { DatePreset, Dayjs } from '~/lib/dates';
import type { Formats } from '~/lib/formats';
import type { ListSearch, PerPage, Value, Where, WholeList } from '~/lib/listSearch';
import type { FiguresStore } from './figures/figures';

export type Filters = ListSearch['filters'];

/** Translates a key. */
export type Translate<Key extends string = string> = (key: Key, options?: Record<string, unknown>) => string;

/** A fixed option; `label` is a text key. `values` replace its own value in the query. */
export interface Option<Key extends string = string> {
  value: Value;
  label: Key;
  values?: readonly Value[];
  /** Offered to operators and administrators only. */
  staff?: true;
}

/** An option found by the server; `label` is shown verbatim. */
export interface FoundOption {
  value: Value;
  label: string;
}

export type OptionSearch = (query: string, signal: AbortSignal, filters: Filters) => Promise<FoundOption[]>;

interface FilterBase<Key extends string> {
  label: Key;
  /** Heading of its group in the drawer. */
  group: Key;
  /** Also shown outside the drawer. */
  quick?: true;
  /** Enabled only while `met` holds for the other filters; `hint` says what is missing. */
  needs?: { met(filters: Filters): boolean; hint: Key };
}

export type DateRangeFilter = { kind: 'dateRange'; presets: readonly DatePreset[] };
export type ChoiceFilter<Key extends string = string> = {
  kind: 'choice';
  options: readonly Option<Key>[];
  exclude?: true;
  single?: true;
};
/** Values are ISO 3166 alpha-2 codes; the countries of tracked places are offered. */
export type CountriesFilter = { kind: 'countries'; exclude?: true };
/** Values are ids, which the server finds by name. */
export type AsyncChoiceFilter = { kind: 'asyncChoice'; search: OptionSearch; exclude?: true; preload?: true };
/** Values are typed or pasted texts, with suggestions if there is a `search`. */
export type ChipsFilter = { kind: 'chips'; search?: OptionSearch; exclude?: true; contain?: true };
/** One free text, to be contained or not. */
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

/** A sort order beyond the columns of the table; `label` is a text key. */
export interface SortOption<Key extends string = string> {
  order: string;
  label: Key;
}

export interface Counter {
  key: string;
  /** The formatted figure. */
  value: string;
  label: string;
}

/** What columns and cells render with. */
export interface Tools<Key extends string = string> {
  t: Translate<Key>;
  fmt: Formats;
  /** Toggles the ads under a row; undefined for lists without ads. */
  showAds?: ((row: { id: string }) => void) | undefined;
  /** Columns that would be the same in every row. */
  redundant?: readonly string[] | undefined;
  /** Figures of rows, once loaded. */
  figures?: FiguresStore | undefined;
}

/** One page of rows; `next` and `prev` are undefined where there is no such page. */
export interface ListPage<Row, Meta> {
  rows: Row[];
  meta: Meta;
  next?: string | undefined;
  prev?: string | undefined;
  exportCsv?: string | undefined;
}

/** The paths of lists, each a route in app/routes.tsx. */
export type ListPath =
  | '/terms'
  | '/domains'
  | '/advertisers'
  | '/actions'
  | '/todo'
  | '/tags'
  | '/terms-management'
  | '/brands'
  | '/google-connect'
  | '/company-account'
  | '/users';

/** What bulk actions get. */
export interface BulkProps<Row> {
  /** The selected rows of the page. */
  rows: readonly Row[];
  /** Given when all rows of the list are meant. */
  whole?: WholeList;
  /** Clears the selection. */
  onDone(): void;
}

/** What the part of a list that hears of changes gets. */
export interface LiveProps<Row> {
  search: ListSearch;
  rows: readonly Row[];
  /** Loads the rows again. */
  onShow(): void;
}

/** What the part of a list that hears its keys gets. */
export interface KeyProps<Row> {
  /** The rows that a key means: the selected ones, else the one in focus. */
  target(): readonly Row[];
  /** Clears the selection. */
  onDone(): void;
}

/** A named state of a list that is offered above its filters. */
export interface Preset<Key extends string = string> {
  label: Key;
  search: Pick<ListSearch, 'filters' | 'order' | 'direction'>;
}

/**
 * The definition of one list screen, from which filters, counters, table, cards, export and paging are rendered. The key of a filter
 * is its name on the server and in the address.
 */
export interface ListDef<Row extends { id: string }, Meta, Key extends string = string> {
  path: ListPath;
  /** i18n namespaces of the keys; the first is the default. */
  ns: readonly FlatNamespace[];
  title: Key;
  filters: Readonly<Record<string, FilterDef<Key>>>;
  /** Sort keys of the server; columns with such an id are sortable. */
  sorts: readonly string[];
  /** Orders offered in a menu under these filters, each in both directions. */
  sortMenu?(filters: Filters): readonly SortOption<Key>[];
  /** The order of a list that nobody has ordered: an address without an order has it, and a chosen one can be removed. Left out, it is that of a first
   * visit, and no order is removed. */
  unsorted?: Pick<ListSearch, 'order' | 'direction'>;
  perPage: readonly PerPage[];
  /** Takes any page size up to this from the address, and offers it while it is the current one. */
  mostPerPage?: number;
  /** The state of a first visit. */
  defaults(me: Me, now: Dayjs): ListSearch;
  /** Adds defaults that only the server knows, such as a brand. Called once per visit, for a list opened without state in its address, and
   * at each reset. */
  complete?(search: ListSearch, me: Me): Promise<ListSearch>;
  /** Keeps dependent filters consistent. */
  rules?(previous: ListSearch, next: ListSearch): ListSearch;
  columns(tools: Tools<Key>): ColDef<Row>[];
  /** Columns to leave out: those that would be the same in every row under these filters, and those not meant for this user. */
  redundant?(filters: Filters, me: Me): readonly string[];
  query(search: ListSearch): {
    queryKey: readonly unknown[];
    queryFn(context: { signal: AbortSignal }): Promise<ListPage<Row, Meta>>;
  };
  counters(meta: Meta, tools: Tools<Key>): Counter[];
  total(meta: Meta): number;
  /** The filters of the captures that could have seen its rows, for their coverage. Undefined for lists of anything but ads. */
  captures?(filters: Filters): Filters;
  /** Accessible name of a row. */
  rowName(row: Row): string;
  /** The text that the search box matches. */
  rowText(row: Row): string;
  /** Prefix of the exported file's name; the date follows. */
  exportName: string;
  /** Toast when loading fails; without one, the text of the error. */
  failure?: Key;
  /** Reports a failed page change by the text of its error instead. */
  tellsPageFailure?: true;
  /** `compact` shows less of the row; only in the view of cards. */
  card: FC<{ row: Row; tools: Tools; compact?: boolean }>;
  /**
   * Cards at every width in place of a table. The first link of a card opens its row; keys move between cards, and who comes back from one finds it
   * where it was.
   */
  view?: 'cards';
  /** Headings above the cards. */
  cardHeads?: FC<{ tools: Tools; compact: boolean }>;
  /** The list's own keys in the view of cards: what hears them, and for the help their letters, by spaces, and words. */
  keys?: { listen: FC<KeyProps<Row>>; help: readonly (readonly [string, Key])[] };
  /** States of the list that readers often want. */
  presets?: readonly Preset<Key>[];
  /** Says what has changed on the server since the rows were loaded. */
  live?: FC<LiveProps<Row>>;
  /** What an empty list says in place of the shared words. */
  empty?: { title: Key; text: Key; action?: FC };
  /** The figures beside rows, loaded after the list. Undefined leaves out their columns. */
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
  /** The ads of a row under the filters of the list, and their heading. Undefined for lists without a portal. */
  ads?(row: Row, filters: Filters): { title: string; search: AdSearch };
  /** Whether a reader may select rows. Left out, everybody may where there are bulk actions. */
  selectable?(me: Me): boolean;
  bulk?: FC<BulkProps<Row>>;
  /** Lets a selection mean all rows of the list, on every page. Left out, it is of one page at most. */
  whole?: {
    /** The condition of these rows, as the list's own calls take it. */
    where(search: ListSearch): string;
    /** The most rows that the server changes at once. */
    most: number;
    /** Offers to select them; takes their `count`. */
    offer: Key;
  };
  /** What the reader should know before the rows. */
  notice?: FC;
  /** Actions on no row in particular, such as creating one. */
  actions?: FC;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of any row; each definition is checked by defineList
export type AnyListDef = ListDef<any, any, any>;

/** Defines a list; its text keys are checked against the namespaces `NS`. */
export const defineList =
  <NS extends Namespace>() =>
  <Row extends { id: string }, Meta>(def: ListDef<Row, Meta, ParseKeys<NS>>): ListDef<Row, Meta, ParseKeys<NS>> =>
    def;

export type { Where };
