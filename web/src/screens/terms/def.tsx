import { adSearch } from '~/api/queries/ads';
import { termFigures } from '~/api/queries/figures';
import { type TermRow, type TermsMeta, termsQuery } from '~/api/queries/terms';
import { defineList } from '~/list/types';
import { BrandCell } from '~/monitoring/cells';
import { oneBrand, seenFilters } from '~/monitoring/filters';
import { lastWeekBy, regionsWithCountries, withDefaultBrand } from '~/monitoring/opening';
import { tagsCell } from '~/monitoring/tags/EditableTags';
import { ContentCell, EngineCell, LocaleCell } from './cells';
import { TermActs } from './TermActs';
import { TermCard } from './TermCard';
import { taggedTerms } from './tagged';

const TermTags = tagsCell(taggedTerms);

/** The list of searched terms. */
export const terms = defineList<['terms', 'monitoring', 'market', 'common', 'list', 'portal']>()<TermRow, TermsMeta>({
  path: '/terms',
  ns: ['terms', 'monitoring', 'market', 'common', 'list', 'portal'],
  title: 'common:title.terms',
  filters: seenFilters,
  sorts: ['content', 'engine', 'locale', 'nbCompetitors', 'nbAds', 'nbViews'],
  perPage: [30, 100, 200, 500, 'all'],

  defaults: (_me, now) => lastWeekBy('nbCompetitors', now),
  complete: withDefaultBrand,
  rules: regionsWithCountries,

  columns: ({ t, fmt }) => [
    { colId: 'locale', headerName: t('column.locale'), width: 156, field: 'locale', cellRenderer: LocaleCell },
    { colId: 'engine', headerName: t('column.engine'), width: 96, field: 'engine', cellRenderer: EngineCell },
    {
      colId: 'content',
      headerName: t('column.content'),
      flex: 2,
      minWidth: 176,
      // Its link follows the list's filters, so the cell is drawn anew with every answer.
      field: 'domainsFilters',
      cellRenderer: ContentCell,
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
      colId: 'nbCompetitors',
      headerName: t('column.nbCompetitors'),
      type: 'rightAligned',
      width: 120,
      field: 'nbCompetitors',
      valueFormatter: ({ value }) => fmt.count(value),
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
      minWidth: 108,
      field: 'categories',
      cellRenderer: TermTags,
    },
  ],
  redundant: ({ brandID }, me) => oneBrand(brandID, me),
  query: termsQuery,
  counters: (meta, { t, fmt }) => [
    { key: 'terms', value: fmt.count(meta.total), label: t('counter.terms', { count: meta.total }) },
    { key: 'ads', value: fmt.count(meta.totalAds), label: t('monitoring:counter.ads', { count: meta.totalAds }) },
    {
      key: 'views',
      value: fmt.count(meta.totalViews),
      label: t('monitoring:counter.views', { count: meta.totalViews }),
    },
  ],
  total: (meta) => meta.total,
  captures: (filters) => filters,
  rowName: ({ content }) => content,
  rowText: (row) =>
    [
      row.content,
      row.brand,
      row.country,
      row.localization,
      row.region,
      row.engine,
      ...row.categories.map((tag) => tag.label),
    ]
      .filter(Boolean)
      .join(' '),
  exportName: 'terms',
  failure: 'list:researchFailed',
  card: TermCard,
  figures: {
    query: termFigures,
    views: (row) => row.nbViews,
    total: (meta) => meta.totalViews,
  },
  ads: (row, filters) => ({ title: row.content, search: adSearch({ termId: row.termId }, filters) }),
  bulk: TermActs,
});
