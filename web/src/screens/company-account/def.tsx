import { type CompanyRow, companiesQuery, searchCompanies } from '~/api/queries/companies';
import { FIRST_PAGE } from '~/lib/listSearch';
import { defineList } from '~/list/types';
import { CompanyCard } from './CompanyCard';
import { CompanyMenu } from './CompanyMenu';
import { CreateCompany } from './CreateCompany';
import { BrandsCell } from './cells';

/** The company accounts. */
export const companies = defineList<['companies', 'common', 'list']>()<CompanyRow, { total: number }>({
  path: '/company-account',
  ns: ['companies', 'common', 'list'],
  title: 'common:title.companyAccount',
  filters: {
    id: {
      kind: 'asyncChoice',
      label: 'filter.company',
      group: 'group.account',
      quick: true,
      search: searchCompanies,
      exclude: true,
    },
  },
  sorts: ['name', 'totalViews'],
  perPage: [30, 100, 200, 500, 'all'],
  defaults: () => ({ page: FIRST_PAGE, perPage: 30, order: 'totalViews', direction: 'DESC', filters: {} }),
  columns: ({ t, fmt }) => [
    { colId: 'name', headerName: t('column.name'), field: 'name', flex: 2, minWidth: 200 },
    {
      colId: 'brands',
      headerName: t('column.brands'),
      field: 'brands',
      flex: 3,
      minWidth: 220,
      cellRenderer: BrandsCell,
    },
    {
      colId: 'totalViews',
      headerName: t('column.totalViews'),
      field: 'totalViews',
      type: 'rightAligned',
      width: 160,
      valueFormatter: ({ value }) => fmt.count(value),
    },
    {
      colId: 'actions',
      headerName: t('column.actions'),
      width: 100,
      resizable: false,
      cellRenderer: ({ data }: { data?: CompanyRow }) => data && <CompanyMenu row={data} />,
    },
  ],
  query: companiesQuery,
  counters: ({ total }, { t, fmt }) => [
    { key: 'total', value: fmt.count(total), label: t('counter', { count: total }) },
  ],
  total: ({ total }) => total,
  rowName: ({ name }) => name,
  rowText: (row) => [row.name, ...row.brands.map(({ label }) => label)].join(' '),
  exportName: 'company-accounts',
  failure: 'failure',
  card: CompanyCard,
  actions: CreateCompany,
});
