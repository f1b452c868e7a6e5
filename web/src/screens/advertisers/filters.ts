import type { ParseKeys } from 'i18next';
import { searchDomains } from '~/api/queries/choices';
import type { ListSearch } from '~/lib/listSearch';
import type { FilterDef, Filters } from '~/list/types';
import {
  DATE_SORTS,
  dateFilter,
  GENERAL_SORTS,
  languageFilter,
  providerFilter,
  reappearanceFilter,
  statusFilter,
  statusSorts,
} from '~/monitoring/cases/filters';
import {
  adTextFilters,
  advertiserTagFilter,
  brandFilter,
  countryFilter,
  DATE_PRESETS,
  keywordTagFilter,
  typeFilter,
} from '~/monitoring/filters';

type Key = ParseKeys<['advertisers', 'monitoring', 'market']>;

export const filters = {
  lastView: {
    kind: 'dateRange',
    label: 'filter.lastView',
    group: 'advertisers:group.detection',
    quick: true,
    presets: DATE_PRESETS,
  },
  status: statusFilter,
  reappearance: reappearanceFilter,
  brandId: brandFilter,
  provider: { ...providerFilter, quick: true },
  country: countryFilter,
  language: languageFilter,
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
  createdDate: dateFilter('advertisers:filter.createdDate', DATE_PRESETS),
  requestedDate: dateFilter('advertisers:filter.requestedDate', DATE_PRESETS),
  inprogressDate: dateFilter('advertisers:filter.inprogressDate', DATE_PRESETS),
  updatedDate: dateFilter('advertisers:filter.updatedDate', DATE_PRESETS),
  acceptedDate: dateFilter('advertisers:filter.acceptedDate', DATE_PRESETS),
  refusedDate: dateFilter('advertisers:filter.refusedDate', DATE_PRESETS),
} satisfies Record<string, FilterDef<Key>>;

/** All sort keys of the server. */
export const SORTS = [...DATE_SORTS, 'domain'];

export const DEFAULT_SORT = { order: 'lastView', direction: 'DESC' } as const;

export const sortMenu = (filters: Filters) => [...GENERAL_SORTS, ...statusSorts(filters)];

/** Falls back to the default order when the current one belongs to a status that is no longer chosen. */
export function resetStatusSort(_previous: ListSearch, next: ListSearch): ListSearch {
  const offered: readonly string[] = [...sortMenu(next.filters).map(({ order }) => order), 'domain'];
  return offered.includes(next.order) ? next : { ...next, ...DEFAULT_SORT };
}
