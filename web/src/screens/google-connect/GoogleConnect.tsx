import { Link } from '@tanstack/react-router';
import { searchCompanies } from '~/api/queries/companies';
import { type GoogleItem, googleItemsQuery } from '~/api/queries/google';
import { customerId } from '~/lib/customerId';
import { FIRST_PAGE } from '~/lib/listSearch';
import { defineList, type Tools } from '~/list/types';
import { GoogleMenu, LinkAccountButton } from './GoogleActions';
import styles from './GoogleConnect.module.css';
import { Grants } from './Grants';
import { Health } from './Health';
import { Scope } from './Scope';

interface Cell {
  data?: GoogleItem;
}

const ScopeCell = ({ data }: Cell) => data && <Scope scope={data.scope} />;
const BrandCell = ({ data }: Cell) => data && <ItemLink row={data} />;
const HealthCell = ({ data }: Cell) => data && <Health item={data} age={false} />;
const MenuCell = ({ data }: Cell) => data && <GoogleMenu row={data} />;

/** Mapped keywords of those that could be: 3/10. */
const keywordsOf = ({ keywords }: GoogleItem): string => `${keywords.activated}/${keywords.available}`;

export const googleConnectList = defineList<['google', 'common', 'list']>()<GoogleItem, { total: number }>({
  path: '/google-connect',
  ns: ['google', 'common', 'list'],
  title: 'common:title.googleConnect',
  filters: {
    companyAccountID: {
      kind: 'asyncChoice',
      label: 'filter.company',
      group: 'group.account',
      quick: true,
      search: searchCompanies,
      exclude: true,
    },
  },
  sorts: ['createdDate', 'brandLabel', 'customerID', 'keywords'],
  perPage: [30, 100, 200, 500, 'all'],
  defaults: () => ({ page: FIRST_PAGE, perPage: 30, order: 'createdDate', direction: 'DESC', filters: {} }),
  columns: ({ t, fmt }) => [
    {
      colId: 'createdDate',
      headerName: t('column.createdDate'),
      field: 'createdDate',
      width: 160,
      valueFormatter: ({ value }) => fmt.date(value),
    },
    { colId: 'brandLabel', headerName: t('column.brand'), flex: 2, minWidth: 180, cellRenderer: BrandCell },
    {
      colId: 'customerID',
      headerName: t('column.customer'),
      field: 'customerID',
      flex: 1,
      minWidth: 170,
      valueFormatter: ({ value }) => customerId(value),
    },
    { colId: 'scope', headerName: t('column.scope'), width: 160, cellRenderer: ScopeCell },
    {
      colId: 'keywords',
      headerName: t('column.keywords'),
      width: 150,
      valueGetter: ({ data }) => (data ? keywordsOf(data) : ''),
    },
    { colId: 'health', headerName: t('column.health'), width: 190, cellRenderer: HealthCell },
    { colId: 'actions', headerName: t('column.actions'), width: 100, resizable: false, cellRenderer: MenuCell },
  ],
  query: googleItemsQuery,
  counters: ({ total }, { t, fmt }) => [
    { key: 'total', value: fmt.count(total), label: t('counter', { count: total }) },
  ],
  total: ({ total }) => total,
  rowName: (row) => row.brandLabel ?? row.customerID,
  rowText: (row) => [row.brandLabel, row.customerID, customerId(row.customerID), row.analyticsDomain].join(' '),
  exportName: 'google-connect',
  failure: 'failure',
  card: GoogleCard,
  notice: Grants,
  actions: LinkAccountButton,
});

/** The brand as a link to the page of its account. */
function ItemLink({ row }: { row: GoogleItem }) {
  return (
    <Link to="/google-connect/$id" params={{ id: row.id }} className={styles.link}>
      {row.brandLabel ?? customerId(row.customerID)}
    </Link>
  );
}

/** An account as a card, for narrow screens. */
function GoogleCard({ row, tools: { t, fmt } }: { row: GoogleItem; tools: Tools }) {
  return (
    <article className={styles.card}>
      <div className={styles.cardHead}>
        <h2 className={styles.cardTitle}>
          <ItemLink row={row} />
        </h2>
        <GoogleMenu row={row} />
      </div>
      <p className={styles.dim}>
        {customerId(row.customerID)} · {fmt.date(row.createdDate)}
      </p>
      <div className={styles.cardHead}>
        <Scope scope={row.scope} />
        <span>
          {t('column.keywords')} <strong>{keywordsOf(row)}</strong>
        </span>
      </div>
      <Health item={row} />
    </article>
  );
}
