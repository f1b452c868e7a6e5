import { adSearch } from '~/api/queries/ads';
import { type DomainRow, type DomainsMeta, domainsQuery } from '~/api/queries/domains';
import { domainFigures } from '~/api/queries/figures';
import { defineList } from '~/list/types';
import { CountriesCell, DomainCell } from '~/monitoring/cells';
import { seenFilters, textFilters } from '~/monitoring/filters';
import { lastWeekBy, regionsWithCountries, withDefaultBrand } from '~/monitoring/opening';
import { tagsCell } from '~/monitoring/tags/EditableTags';
import { DomainActs } from './DomainActs';
import { DomainCard } from './DomainCard';
import { taggedDomains } from './tagged';
import { VisibilityCell } from './Visibility';

const DomainTags = tagsCell(taggedDomains);

/** The list of advertisers' domains. */
export const domains = defineList<['domains', 'monitoring', 'market', 'common', 'list', 'portal']>()<
  DomainRow,
  DomainsMeta
>({
  path: '/domains',
  ns: ['domains', 'monitoring', 'market', 'common', 'list', 'portal'],
  title: 'common:title.domains',
  filters: {
    ...seenFilters,
    ...textFilters,
    position: {
      kind: 'range',
      label: 'filter.position',
      group: 'monitoring:group.domainAndTerms',
      min: 1,
      max: 15,
      step: 1,
    },
  },
  sorts: ['domain', 'countries', 'averagePosition', 'visibility', 'nbViews', 'nbAds'],
  perPage: [30, 100, 200, 500, 'all'],

  defaults: (_me, now) => lastWeekBy('nbViews', now),
  complete: withDefaultBrand,
  rules: regionsWithCountries,

  columns: ({ t, fmt }) => [
    {
      colId: 'countries',
      headerName: t('monitoring:column.countries'),
      width: 88,
      field: 'countries',
      cellRenderer: CountriesCell,
    },
    {
      colId: 'visibility',
      headerName: t('column.visibility'),
      width: 132,
      field: 'share',
      cellRenderer: VisibilityCell,
    },
    {
      colId: 'domain',
      headerName: t('monitoring:column.domain'),
      flex: 5,
      minWidth: 224,
      field: 'domain',
      cellRenderer: DomainCell,
    },
    {
      colId: 'averagePosition',
      headerName: t('column.averagePosition'),
      type: 'rightAligned',
      width: 96,
      field: 'averagePosition',
      valueFormatter: ({ value }) => (typeof value === 'number' ? fmt.position(value) : '–'),
    },
    {
      colId: 'nbAds',
      headerName: t('monitoring:column.nbAds'),
      type: 'rightAligned',
      width: 68,
      field: 'nbAds',
      valueFormatter: ({ value }) => fmt.count(value),
    },
    {
      colId: 'nbViews',
      headerName: t('monitoring:column.nbViews'),
      type: 'rightAligned',
      width: 76,
      field: 'nbViews',
      valueFormatter: ({ value }) => fmt.count(value),
    },
    {
      colId: 'tags',
      headerName: t('monitoring:column.tags'),
      flex: 2,
      minWidth: 116,
      field: 'categories',
      cellRenderer: DomainTags,
    },
  ],
  query: domainsQuery,
  counters: (meta, { t, fmt }) => [
    { key: 'domains', value: fmt.count(meta.total), label: t('counter.domains', { count: meta.total }) },
    { key: 'ads', value: fmt.count(meta.totalAds), label: t('monitoring:counter.ads', { count: meta.totalAds }) },
    {
      key: 'views',
      value: fmt.count(meta.totalViews),
      label: t('monitoring:counter.views', { count: meta.totalViews }),
    },
  ],
  total: (meta) => meta.total,
  captures: (filters) => filters,
  rowName: ({ domain }) => domain,
  rowText: (row) => [row.domain, ...row.countries, ...row.categories.map((tag) => tag.label)].join(' '),
  exportName: 'domains',
  failure: 'list:researchFailed',
  card: DomainCard,
  figures: {
    query: domainFigures,
    views: (row) => row.nbViews,
    total: (meta) => meta.totalViews,
  },
  ads: (row, filters) => ({ title: row.domain, search: adSearch({ domain: row.domain }, filters) }),
  bulk: DomainActs,
});
