import { adSearch } from '~/api/queries/ads';
import { type AdvertiserRow, type AdvertisersMeta, advertisersQuery } from '~/api/queries/advertisers';
import { searchBrands, searchDomains } from '~/api/queries/choices';
import { lastDays } from '~/lib/dates';
import { FIRST_PAGE, type Where } from '~/lib/listSearch';
import { defineList, type Filters } from '~/list/types';
import { BrandCell, CountriesCell, DomainCell } from '~/monitoring/cells';
import {
  advertiserTagFilter,
  countryFilter,
  keywordTagFilter,
  oneBrand,
  PRESETS,
  textFilters,
  typeFilter,
} from '~/monitoring/filters';
import { tagsCell } from '~/monitoring/tags/EditableTags';
import { AdvertiserActs } from './AdvertiserActs';
import { AdvertiserCard } from './AdvertiserCard';
import { EngineCell, lastStatusDate, MenuCell, StatusCell, updatedDate } from './cells';
import { DEFAULT_SORT, SORTS, sortMenu, sortWithStatus } from './sorts';
import { taggedAdvertisers } from './tagged';

const LANGUAGES = ['fr', 'en', 'sv', 'nl', 'de', 'ru', 'it', 'ja', 'es', 'ar', 'no', 'uk', 'pt', 'pl'] as const;

/** Statuses that company users can ask for, and those that only staff can. */
const STATUSES = ['new', 'reappearance', 'ignored', 'requested', 'inprogress', 'accepted', 'refused'] as const;
const STAFF_STATUSES = ['disappeared', 'reminded', 'blocked'] as const;

/** The order of the counters. */
const COUNTED = [
  'new',
  'inprogress',
  'accepted',
  'refused',
  'requested',
  'disappeared',
  'blocked',
  'reminded',
] as const;

/** The ads of one case: those of its brand, in its country and on its engine. */
const adsOf = (row: AdvertiserRow, filters: Filters) => {
  const of = (value: string | number | null | undefined): Where | undefined =>
    value == null ? undefined : { type: 'inq', value: [value] };
  const narrowed = { ...filters, brandID: of(row.brandId), country: of(row.country), engine: of(row.engine) };
  const present = Object.entries(narrowed).filter((entry): entry is [string, Where] => entry[1] !== undefined);
  return adSearch({ domain: row.domain }, Object.fromEntries(present), undefined, 'lastView');
};

/** The captures that could have seen the cases, as the lists of ads name them; what a case is now says nothing of them. */
const capturesOf = ({ lastView, brandId, provider, country, language, keywordTag }: Filters): Filters => {
  const of = { date: lastView, brandID: brandId, engine: provider, country, language, keywordTag };
  return Object.fromEntries(Object.entries(of).filter((entry): entry is [string, Where] => entry[1] !== undefined));
};

const AdvertiserTags = tagsCell(taggedAdvertisers);

const dateFilter = <Label extends string>(label: Label) =>
  ({ kind: 'dateRange', label, group: 'group.dates', presets: PRESETS }) as const;

/** The list of advertisers that are or were dealt with. */
export const advertisers = defineList<['advertisers', 'monitoring', 'market', 'common', 'list', 'portal']>()<
  AdvertiserRow,
  AdvertisersMeta
>({
  path: '/advertisers',
  ns: ['advertisers', 'monitoring', 'market', 'common', 'list', 'portal'],
  title: 'common:title.advertisers',
  filters: {
    lastView: { kind: 'dateRange', label: 'filter.lastView', group: 'group.detection', quick: true, presets: PRESETS },
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
    brandId: {
      kind: 'asyncChoice',
      label: 'monitoring:filter.brand',
      group: 'monitoring:group.generic',
      quick: true,
      search: searchBrands,
      exclude: true,
    },
    provider: {
      kind: 'choice',
      label: 'filter.provider',
      group: 'monitoring:group.generic',
      quick: true,
      options: [
        { value: 'google', label: 'market:engine.google' },
        { value: 'bing', label: 'market:engine.bing' },
        { value: 'yahoo', label: 'provider.yahoo' },
      ],
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
    ...textFilters,
    createdDate: dateFilter('filter.createdDate'),
    requestedDate: dateFilter('filter.requestedDate'),
    inprogressDate: dateFilter('filter.inprogressDate'),
    updatedDate: dateFilter('filter.updatedDate'),
    acceptedDate: dateFilter('filter.acceptedDate'),
    refusedDate: dateFilter('filter.refusedDate'),
  },
  sorts: SORTS,
  sortMenu,
  perPage: [30, 100, 200, 500, 'all'],

  defaults: (_me, now) => ({
    page: FIRST_PAGE,
    perPage: 30,
    ...DEFAULT_SORT,
    filters: {
      lastView: { type: 'between', value: lastDays(30, now), preset: 'last30' },
      status: { type: 'inq', value: ['new'] },
    },
  }),
  rules: sortWithStatus,

  columns: ({ t, fmt }) => {
    const date = ({ value }: { value?: unknown }) => (typeof value === 'string' ? fmt.date(value) : '');
    const count = ({ value }: { value?: unknown }) => (typeof value === 'number' ? fmt.count(value) : '–');
    return [
      {
        colId: 'engine',
        headerName: t('column.engine'),
        width: 62,
        field: 'engine',
        cellRenderer: EngineCell,
      },
      {
        colId: 'domain',
        headerName: t('monitoring:column.domain'),
        flex: 5,
        minWidth: 206,
        field: 'domain',
        cellRenderer: DomainCell,
      },
      {
        colId: 'brand',
        headerName: t('monitoring:column.brand'),
        flex: 1,
        minWidth: 90,
        field: 'brand',
        cellRenderer: BrandCell,
      },
      {
        colId: 'createdDate',
        headerName: t('column.createdDate'),
        width: 98,
        field: 'createdDate',
        valueFormatter: date,
      },
      {
        colId: 'countries',
        headerName: t('monitoring:column.countries'),
        width: 60,
        field: 'countries',
        cellRenderer: CountriesCell,
      },
      {
        colId: 'updatedDate',
        headerName: t('column.updatedDate'),
        width: 98,
        valueGetter: ({ data }) => data && updatedDate(data),
        valueFormatter: date,
      },
      { colId: 'lastView', headerName: t('column.lastView'), width: 98, field: 'lastView', valueFormatter: date },
      { colId: 'status', headerName: t('column.status'), width: 122, field: 'status', cellRenderer: StatusCell },
      {
        colId: 'lastStatusDate',
        headerName: t('column.lastStatusDate'),
        width: 98,
        valueGetter: ({ data }) => data && lastStatusDate(data),
        valueFormatter: date,
      },
      {
        colId: 'nbAds',
        headerName: t('monitoring:column.nbAds'),
        type: 'rightAligned',
        width: 60,
        field: 'nbAds',
        valueFormatter: count,
      },
      {
        colId: 'nbViews',
        headerName: t('monitoring:column.nbViews'),
        type: 'rightAligned',
        width: 68,
        field: 'nbViews',
        valueFormatter: count,
      },
      {
        colId: 'tags',
        headerName: t('monitoring:column.tags'),
        flex: 2,
        minWidth: 116,
        field: 'categories',
        cellRenderer: AdvertiserTags,
      },
      {
        colId: 'actions',
        headerName: t('column.actions'),
        width: 68,
        field: 'links',
        pinned: 'right',
        cellRenderer: MenuCell,
      },
    ];
  },
  redundant: ({ brandId }, me) => oneBrand(brandId, me),
  query: advertisersQuery,
  counters: ({ total, subTotal }, { t, fmt }) => [
    { key: 'advertisers', value: fmt.count(total), label: t('counter.advertisers', { count: total }) },
    ...COUNTED.filter((status) => status in subTotal).map((status) => ({
      key: status,
      value: fmt.count(subTotal[status] ?? 0),
      label: t(`counter.${status}`, { count: subTotal[status] ?? 0 }),
    })),
  ],
  total: ({ total }) => total,
  captures: capturesOf,
  rowName: ({ domain }) => domain,
  rowText: (row) =>
    [row.domain, row.brand, row.engine, ...row.countries, row.status, ...row.categories.map((tag) => tag.label)].join(
      ' ',
    ),
  exportName: 'advertisers',
  failure: 'loadFailed',
  tellsPageFailure: true,
  card: AdvertiserCard,
  ads: (row, filters) => ({ title: row.domain, search: adsOf(row, filters) }),
  bulk: AdvertiserActs,
});
