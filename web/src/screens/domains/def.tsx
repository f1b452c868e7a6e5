import {
  defaultBrand,
  regionsOf,
  searchBrands,
  searchDomains,
  searchKeywords,
  searchTags,
} from '~/api/queries/choices';
import { type DomainRow, type DomainsMeta, domainsQuery } from '~/api/queries/domains';
import { isAdmin } from '~/api/session';
import { lastDays } from '~/lib/dates';
import { FIRST_PAGE, type Where } from '~/lib/listSearch';
import { defineList, type Filters } from '~/list/types';
import { CopyDomains } from './CopyDomains';
import { CountriesCell, DomainCell, TagsCell, VisibilityCell } from './cells';
import { DomainCard } from './DomainCard';

const COUNTRIES = ['FR', 'GB', 'DE', 'BE', 'PT', 'ES', 'IT', 'CH', 'NL'] as const;

const chosenCountries = ({ country }: Filters): string[] => (country?.type === 'inq' ? country.value.map(String) : []);

/** The list of advertisers' domains. */
export const domains = defineList<['domains', 'market', 'common', 'list']>()<DomainRow, DomainsMeta>({
  path: '/domains',
  ns: ['domains', 'market', 'common', 'list'],
  title: 'common:title.domains',
  filters: {
    date: {
      kind: 'dateRange',
      label: 'filter.date',
      group: 'group.lastDetection',
      quick: true,
      presets: ['today', 'yesterday', 'last7', 'last30', 'last60', 'thisMonth', 'lastMonth'],
    },
    brandID: {
      kind: 'asyncChoice',
      label: 'filter.brand',
      group: 'group.generic',
      quick: true,
      search: searchBrands,
      exclude: true,
    },
    country: {
      kind: 'choice',
      label: 'filter.country',
      group: 'group.generic',
      quick: true,
      exclude: true,
      options: COUNTRIES.map((code) => ({ value: code, label: `market:country.${code}` as const, flag: code })),
    },
    region: {
      kind: 'asyncChoice',
      label: 'filter.region',
      group: 'group.generic',
      exclude: true,
      needs: { met: (filters) => chosenCountries(filters).length > 0, hint: 'filter.regionNeedsCountry' },
      search: async (query, signal, filters) => {
        const regions = await regionsOf(chosenCountries(filters), signal);
        return regions.filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));
      },
    },
    engine: {
      kind: 'choice',
      label: 'filter.engine',
      group: 'group.generic',
      quick: true,
      options: [
        { value: 'google', label: 'market:engine.google' },
        { value: 'bing', label: 'market:engine.bing' },
      ],
    },
    device: {
      kind: 'choice',
      label: 'filter.device',
      group: 'group.generic',
      quick: true,
      options: [
        { value: 'desktop', label: 'market:device.desktop' },
        { value: 'mobile', label: 'market:device.mobile' },
        { value: 'tablet', label: 'market:device.tablet' },
      ],
    },
    type: {
      kind: 'choice',
      label: 'filter.type',
      group: 'group.generic',
      single: true,
      options: [
        { value: 'ads', label: 'market:type.ads' },
        { value: 'all', label: 'market:type.adsShopping', values: ['ads', 'shopping'] },
      ],
    },
    domain: {
      kind: 'chips',
      label: 'filter.domain',
      group: 'group.domainAndTerms',
      search: searchDomains,
      exclude: true,
      contain: true,
    },
    advertiserTag: {
      kind: 'asyncChoice',
      label: 'filter.advertiserTag',
      group: 'group.domainAndTerms',
      search: searchTags('tag'),
      exclude: true,
    },
    keywordContent: {
      kind: 'chips',
      label: 'filter.keywordContent',
      group: 'group.domainAndTerms',
      search: searchKeywords,
      exclude: true,
      contain: true,
    },
    keywordTag: {
      kind: 'asyncChoice',
      label: 'filter.keywordTag',
      group: 'group.domainAndTerms',
      search: searchTags('term'),
      exclude: true,
    },
    keywordType: {
      kind: 'choice',
      label: 'filter.keywordType',
      group: 'group.domainAndTerms',
      options: (['GENERIC', 'BRAND', 'GENERIC_BRAND', 'MULTIBRAND'] as const).map((type) => ({
        value: type,
        label: `market:keywordType.${type}` as const,
      })),
    },
    adTitle: { kind: 'text', label: 'filter.adTitle', group: 'group.domainAndTerms' },
    adDescription: { kind: 'text', label: 'filter.adDescription', group: 'group.domainAndTerms' },
    position: { kind: 'range', label: 'filter.position', group: 'group.domainAndTerms', min: 1, max: 15, step: 1 },
  },
  sorts: ['domain', 'countries', 'averagePosition', 'visibility', 'nbViews', 'nbAds'],
  perPage: [30, 100, 200, 500, 'all'],

  defaults: (_me, now) => ({
    page: FIRST_PAGE,
    perPage: 30,
    order: 'nbViews',
    direction: 'DESC',
    filters: { date: { type: 'between', value: lastDays(7, now), preset: 'last7' } },
  }),

  // An administrator sees every brand: without one the first question would be the biggest of all.
  complete: async (search, me) => {
    const onlyDates = Object.keys(search.filters).every((name) => name === 'date');
    if (!isAdmin(me) || !onlyDates) return search;
    const brand = await defaultBrand();
    if (!brand) return search;
    const brandID: Where = { type: 'inq', value: [brand.value], labels: [brand.label] };
    return { ...search, filters: { ...search.filters, brandID } };
  },

  // Regions belong to countries: those of a country that is no longer chosen go with it.
  rules: (previous, next) => {
    const before = chosenCountries(previous.filters);
    const after = chosenCountries(next.filters);
    if (!next.filters.region || before.every((country) => after.includes(country))) return next;
    const { region: _, ...filters } = next.filters;
    return { ...next, filters };
  },

  columns: ({ t, fmt }) => [
    {
      colId: 'countries',
      headerName: t('column.countries'),
      width: 140,
      field: 'countries',
      cellRenderer: CountriesCell,
    },
    {
      colId: 'visibility',
      headerName: t('column.visibility'),
      width: 200,
      field: 'share',
      cellRenderer: VisibilityCell,
    },
    {
      colId: 'domain',
      headerName: t('column.domain'),
      flex: 2,
      minWidth: 220,
      field: 'domain',
      cellRenderer: DomainCell,
    },
    {
      colId: 'averagePosition',
      headerName: t('column.averagePosition'),
      width: 160,
      field: 'averagePosition',
      valueFormatter: ({ value }) => (typeof value === 'number' ? fmt.position(value) : '–'),
    },
    {
      colId: 'nbAds',
      headerName: t('column.nbAds'),
      width: 110,
      field: 'nbAds',
      valueFormatter: ({ value }) => fmt.count(value),
    },
    {
      colId: 'nbViews',
      headerName: t('column.nbViews'),
      width: 120,
      field: 'nbViews',
      valueFormatter: ({ value }) => fmt.count(value),
    },
    {
      colId: 'tags',
      headerName: t('column.tags'),
      flex: 2,
      minWidth: 180,
      field: 'categories',
      cellRenderer: TagsCell,
    },
  ],
  query: domainsQuery,
  counters: (meta, { t, fmt }) => [
    { key: 'domains', value: fmt.count(meta.total), label: t('counter.domains', { count: meta.total }) },
    { key: 'ads', value: fmt.count(meta.totalAds), label: t('counter.ads', { count: meta.totalAds }) },
    { key: 'views', value: fmt.count(meta.totalViews), label: t('counter.views', { count: meta.totalViews }) },
  ],
  total: (meta) => meta.total,
  rowText: (row) => [row.domain, ...row.countries, ...row.categories.map((tag) => tag.label)].join(' '),
  exportName: 'domains',
  failure: 'list:researchFailed',
  card: DomainCard,
  bulk: CopyDomains,
});
