import type { ParseKeys } from 'i18next';
import { searchDomains } from '~/api/queries/choices';
import type { ListSearch } from '~/lib/listSearch';
import type { FilterDef, Filters } from '~/list/types';
import {
  adTextFilters,
  advertiserTagFilter,
  brandFilter,
  countryFilter,
  DATE_PRESETS,
  ENGINES,
  keywordTagFilter,
  typeFilter,
} from '~/monitoring/filters';

type Key = ParseKeys<['advertisers', 'monitoring', 'market']>;

const LANGUAGES = ['fr', 'en', 'sv', 'nl', 'de', 'ru', 'it', 'ja', 'es', 'ar', 'no', 'uk', 'pt', 'pl'] as const;

/** Statuses that everybody can filter by. */
const STATUSES = ['new', 'reappearance', 'ignored', 'requested', 'inprogress', 'accepted', 'refused'] as const;
/** Statuses that only operators and administrators can filter by. */
const STAFF_STATUSES = ['disappeared', 'reminded', 'blocked'] as const;

const dateFilter = <Label extends string>(label: Label) =>
  ({ kind: 'dateRange', label, group: 'group.dates', presets: DATE_PRESETS }) as const;

export const filters = {
  lastView: {
    kind: 'dateRange',
    label: 'filter.lastView',
    group: 'group.detection',
    quick: true,
    presets: DATE_PRESETS,
  },
  status: {
    kind: 'choice',
    label: 'filter.status',
    group: 'group.detection',
    quick: true,
    exclude: true,
    options: [
      ...STATUSES.map((status) => ({ value: status, label: `status.${status}` as const })),
      ...STAFF_STATUSES.map((status) => ({
        value: status,
        label: `status.${status}` as const,
        staff: true as const,
      })),
    ],
  },
  reappearance: {
    kind: 'choice',
    label: 'filter.reappearance',
    group: 'group.detection',
    single: true,
    options: [
      { value: 'only', label: 'filter.only' },
      { value: 'exclude', label: 'filter.exclude' },
    ],
  },
  brandId: brandFilter,
  provider: {
    kind: 'choice',
    label: 'filter.provider',
    group: 'monitoring:group.generic',
    quick: true,
    options: [...ENGINES, { value: 'yahoo', label: 'provider.yahoo' }],
  },
  country: countryFilter,
  language: {
    kind: 'choice',
    label: 'filter.language',
    group: 'monitoring:group.generic',
    exclude: true,
    options: LANGUAGES.map((code) => ({ value: code, label: `language.${code}` as const })),
  },
  type: typeFilter,
  master: {
    kind: 'chips',
    label: 'filter.master',
    group: 'monitoring:group.domainAndTerms',
    search: searchDomains,
    exclude: true,
    contain: true,
  },
  advertiserTag: advertiserTagFilter,
  keywordTag: keywordTagFilter,
  ...adTextFilters,
  createdDate: dateFilter('filter.createdDate'),
  requestedDate: dateFilter('filter.requestedDate'),
  inprogressDate: dateFilter('filter.inprogressDate'),
  updatedDate: dateFilter('filter.updatedDate'),
  acceptedDate: dateFilter('filter.acceptedDate'),
  refusedDate: dateFilter('filter.refusedDate'),
} satisfies Record<string, FilterDef<Key>>;

const GENERAL_SORTS = [
  { order: 'lastView', label: 'sort.lastView' },
  { order: 'createdDate', label: 'sort.createdDate' },
  { order: 'requestedDate', label: 'sort.requestedDate' },
  { order: 'updatedDate', label: 'sort.updatedDate' },
] as const;

/** Orders by the date of a status, offered while the list is filtered by that status. */
const STATUS_SORTS = [
  { order: 'inprogressDate', label: 'sort.inprogressDate', statuses: ['inprogress', 'reminded', 'blocked'] },
  { order: 'acceptedDate', label: 'sort.acceptedDate', statuses: ['accepted'] },
  { order: 'refusedDate', label: 'sort.refusedDate', statuses: ['refused'] },
  { order: 'reappearanceDate', label: 'sort.reappearanceDate', statuses: ['reappearance'] },
  { order: 'disappearedDate', label: 'sort.disappearedDate', statuses: ['disappeared'] },
] as const;

/** All sort keys of the server. */
export const SORTS = [...GENERAL_SORTS.map(({ order }) => order), ...STATUS_SORTS.map(({ order }) => order), 'domain'];

export const DEFAULT_SORT = { order: 'lastView', direction: 'DESC' } as const;

export function sortMenu({ status }: Filters) {
  const chosen = status?.type === 'inq' ? status.value.map(String) : [];
  return [...GENERAL_SORTS, ...STATUS_SORTS.filter(({ statuses }) => statuses.some((one) => chosen.includes(one)))];
}

/** Falls back to the default order when the current one belongs to a status that is no longer chosen. */
export function resetStatusSort(_previous: ListSearch, next: ListSearch): ListSearch {
  const offered: readonly string[] = [...sortMenu(next.filters).map(({ order }) => order), 'domain'];
  return offered.includes(next.order) ? next : { ...next, ...DEFAULT_SORT };
}
