import type { ParseKeys } from 'i18next';
import { DATE_PRESETS } from '~/lib/dates';
import { FIRST_PAGE, type ListSearch } from '~/lib/listSearch';
import type { FilterDef, Filters, Preset } from '~/list/types';
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
  advertiserTagFilter,
  brandFilter,
  countryFilter,
  detectionFilters,
  keywordTagFilter,
  typeFilter,
} from '~/monitoring/filters';

type Key = ParseKeys<['actions', 'advertisers', 'monitoring', 'market']>;

export const filters = {
  status: statusFilter,
  waiting: {
    kind: 'choice',
    label: 'filter.waiting',
    group: 'advertisers:group.detection',
    quick: true,
    single: true,
    options: [
      { value: 'true', label: 'group.waiting' },
      { value: 'false', label: 'group.notWaiting' },
    ],
  },
  unread: {
    kind: 'choice',
    label: 'filter.unread',
    group: 'advertisers:group.detection',
    single: true,
    options: [
      { value: 'only', label: 'filter.with' },
      { value: 'exclude', label: 'filter.without' },
    ],
  },
  reappearance: reappearanceFilter,
  lastView: {
    kind: 'dateRange',
    label: 'advertisers:filter.lastView',
    group: 'advertisers:group.detection',
    presets: DATE_PRESETS,
  },
  brandId: brandFilter,
  country: countryFilter,
  language: languageFilter,
  provider: providerFilter,
  type: typeFilter,
  domain: detectionFilters.domain,
  advertiserTag: advertiserTagFilter,
  keywordTag: keywordTagFilter,
  keywordType: detectionFilters.keywordType,
  keywordContent: detectionFilters.keywordContent,
  createdDate: dateFilter('advertisers:filter.createdDate', DATE_PRESETS),
  requestedDate: dateFilter('advertisers:filter.requestedDate', DATE_PRESETS),
  inprogressDate: dateFilter('advertisers:filter.inprogressDate', DATE_PRESETS),
  acceptedDate: dateFilter('advertisers:filter.acceptedDate', DATE_PRESETS),
  refusedDate: dateFilter('advertisers:filter.refusedDate', DATE_PRESETS),
  updatedDate: dateFilter('advertisers:filter.updatedDate', DATE_PRESETS),
  reappearanceDate: dateFilter('filter.reappearanceDate', DATE_PRESETS),
  disappearedDate: dateFilter('filter.disappearedDate', DATE_PRESETS),
} satisfies Record<string, FilterDef<Key>>;

/** The orders that fit any status. */
const ALWAYS = [
  { order: 'priority', label: 'sort.priority' },
  ...GENERAL_SORTS,
  { order: 'domain', label: 'advertisers:sort.domain' },
] as const;

/** All sort keys of the server. */
export const SORTS = ['priority', ...DATE_SORTS, 'domain'];

/** The order of a list that nothing else orders. */
export const BY_PRIORITY = { order: 'priority', direction: 'DESC' } as const;

export const sortMenu = (chosen: Filters) => [...ALWAYS, ...statusSorts(chosen)];

/** Falls back to the priority when the order belongs to a status that is no longer chosen. */
export function resetStatusSort(_previous: ListSearch, next: ListSearch): ListSearch {
  const offered: readonly string[] = sortMenu(next.filters).map(({ order }) => order);
  return offered.includes(next.order) ? next : { ...next, ...BY_PRIORITY };
}

/** What is requested, the oldest request first. */
const TO_SEND = {
  filters: { status: { type: 'inq', value: ['requested'] } },
  order: 'requestedDate',
  direction: 'ASC',
} as const satisfies Preset['search'];

/** The first visit. */
export const defaults = (): ListSearch => ({ page: FIRST_PAGE, perPage: 30, ...TO_SEND });

const NOTIFIED = { type: 'inq', value: ['inprogress', 'reminded'] } as const;

/** What a first mail was sent to and no answer came, the oldest first. */
export const WAITING_LONGEST = {
  filters: { status: NOTIFIED, waiting: { type: 'inq', value: ['true'] } },
  order: 'inprogressDate',
  direction: 'ASC',
} as const satisfies Preset['search'];

export const presets = [
  { label: 'preset.toSend', search: TO_SEND },
  { label: 'preset.waitingLongest', search: WAITING_LONGEST },
  {
    label: 'preset.ours',
    search: {
      filters: { status: NOTIFIED, waiting: { type: 'inq', value: ['false'] } },
      order: 'updatedDate',
      direction: 'ASC',
    },
  },
  {
    label: 'preset.blocked',
    search: { filters: { status: { type: 'inq', value: ['blocked'] } }, order: 'updatedDate', direction: 'DESC' },
  },
  {
    label: 'preset.reappeared',
    search: {
      filters: { status: { type: 'inq', value: ['reappearance'] } },
      order: 'reappearanceDate',
      direction: 'DESC',
    },
  },
] as const satisfies readonly Preset<Key>[];
