import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { captureUseQuery, nearQuota } from '~/api/queries/captureUse';
import { type CompanyRow, companiesQuery, searchCompanies } from '~/api/queries/companies';
import { FIRST_PAGE } from '~/lib/listSearch';
import { defineList, type Tools } from '~/list/types';
import styles from './CompanyAccounts.module.css';
import { CompanyMenu, CreateCompanyButton } from './CompanyActions';

const BrandsCell = ({ data }: { data?: CompanyRow }) => data && <Brands row={data} />;
const CapturesCell = ({ data }: { data?: CompanyRow }) => data && <Captures row={data} />;
const MenuCell = ({ data }: { data?: CompanyRow }) => data && <CompanyMenu row={data} />;

export const companyAccountsList = defineList<['companies', 'common', 'list']>()<CompanyRow, { total: number }>({
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
      colId: 'captures',
      headerName: t('column.captures'),
      field: 'quota',
      flex: 2,
      minWidth: 200,
      cellRenderer: CapturesCell,
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
      cellRenderer: MenuCell,
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
  actions: CreateCompanyButton,
});

/** The names of a company account's brands; a dash if it has none. */
function Brands({ row }: { row: CompanyRow }) {
  if (row.brands.length === 0) return <span className={styles.none}>–</span>;
  return (
    <ul className={styles.brands}>
      {row.brands.map(({ id, label }) => (
        <li key={id} className={styles.brand}>
          {label}
        </li>
      ))}
    </ul>
  );
}

/** Captures planned and used in the month, once counted, beside the quota; marked where they are near it. */
function Captures({ row: { id, quota } }: { row: CompanyRow }) {
  const { t } = useTranslation('companies');
  const { data } = useQuery(captureUseQuery);
  const use = data?.find(({ companyAccountID }) => String(companyAccountID) === id);
  if (!use) return <span className={styles.none}>…</span>;
  const { planned, used } = use;
  const isNear = nearQuota({ quota, planned, used }) !== undefined;
  return (
    <span className={styles.captures}>
      <span className={styles.planned} data-near={isNear || undefined}>
        {isNear && <IconAlertTriangle size={15} aria-hidden />}
        {quota === null ? t('captures.planned', { planned }) : t('captures.plannedOf', { planned, quota })}
      </span>
      <span className={styles.none}>{t('captures.used', { used })}</span>
    </span>
  );
}

/** A company account as a card, for narrow screens: the content of its table row. */
function CompanyCard({ row, tools: { t, fmt } }: { row: CompanyRow; tools: Tools }) {
  return (
    <article className={styles.card}>
      <div>
        <h2 className={styles.title}>{row.name}</h2>
        <p className={styles.figure}>
          {t('column.totalViews')} <strong>{fmt.count(row.totalViews)}</strong>
        </p>
      </div>
      <CompanyMenu row={row} />
      <Captures row={row} />
      <Brands row={row} />
    </article>
  );
}
