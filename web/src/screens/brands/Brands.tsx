import { BRAND_FLAGS, type BrandFlag, type BrandRow, brandsQuery } from '~/api/queries/brands';
import { searchBrands } from '~/api/queries/choices';
import { FIRST_PAGE } from '~/lib/listSearch';
import { defineList, type Tools } from '~/list/types';
import { Figure } from '~/monitoring/cells';
import { DeletedButton } from '~/monitoring/history/DeletedButton';
import shared from '~/monitoring/monitoring.module.css';
import { Tags } from '~/monitoring/tags/Tags';
import { BrandLabel, BrandMenu, CreateBrand } from './BrandActions';
import { BulkFlags, FlagSwitch } from './BrandFlags';
import styles from './Brands.module.css';
import { CHANGED_BY_BRANDS } from './changedByBrands';
import { MatchRuns } from './MatchRuns';
import { readPattern } from './patterns';

interface Cell {
  data?: BrandRow;
}

const LabelCell = ({ data }: Cell) => data && <BrandLabel row={data} />;
const PatternsCell = ({ data }: Cell) => data && <Patterns row={data} />;
const CompaniesCell = ({ data }: Cell) => data && <Companies row={data} />;
const MenuCell = ({ data }: Cell) => data && <BrandMenu row={data} />;

const FLAG_CELLS = Object.fromEntries(
  BRAND_FLAGS.map((flag) => [flag, ({ data }: Cell) => data && <FlagSwitch row={data} flag={flag} />]),
) as Record<BrandFlag, (cell: Cell) => React.ReactNode>;

const NONE = '–';

export const brandsList = defineList<['brands', 'common', 'list']>()<BrandRow, { total: number }>({
  path: '/brands',
  ns: ['brands', 'common', 'list'],
  title: 'common:title.brands',
  filters: {
    id: {
      kind: 'asyncChoice',
      label: 'filter.brand',
      group: 'group.brand',
      quick: true,
      search: searchBrands,
      exclude: true,
    },
    validated: {
      kind: 'choice',
      label: 'filter.state',
      group: 'group.brand',
      quick: true,
      single: true,
      options: [
        { value: 'true', label: 'flag.validated' },
        { value: 'false', label: 'filter.unvalidated' },
      ],
    },
  },
  sorts: ['label', 'name', 'totalViews'],
  sortMenu: () => [
    { order: 'totalViews', label: 'sort.totalViews' },
    { order: 'label', label: 'column.label' },
    { order: 'name', label: 'column.name' },
  ],
  perPage: [30, 100, 200, 500, 'all'],
  defaults: () => ({ page: FIRST_PAGE, perPage: 30, order: 'totalViews', direction: 'DESC', filters: {} }),
  columns: ({ t }) => {
    const flag = (name: BrandFlag) => ({
      colId: name,
      headerName: t(`flag.${name}`),
      width: 84,
      cellRenderer: FLAG_CELLS[name],
    });
    return [
      { colId: 'label', headerName: t('column.label'), flex: 2, minWidth: 120, cellRenderer: LabelCell },
      { colId: 'name', headerName: t('column.name'), field: 'name', flex: 2, minWidth: 110 },
      { colId: 'autoMatch', headerName: t('column.autoMatch'), flex: 3, minWidth: 120, cellRenderer: PatternsCell },
      {
        colId: 'companyAccounts',
        headerName: t('column.companyAccount'),
        flex: 2,
        minWidth: 120,
        cellRenderer: CompaniesCell,
      },
      ...BRAND_FLAGS.map(flag),
      {
        colId: 'frequency',
        headerName: t('column.reminderFrequency'),
        field: 'frequency',
        type: 'rightAligned',
        width: 92,
        valueFormatter: ({ value }) => (typeof value === 'number' ? t('days', { count: value }) : NONE),
      },
      {
        colId: 'quota',
        headerName: t('column.quota'),
        field: 'quota',
        type: 'rightAligned',
        width: 70,
        valueFormatter: ({ value }) => value ?? NONE,
      },
      { colId: 'actions', headerName: t('column.actions'), width: 80, resizable: false, cellRenderer: MenuCell },
    ];
  },
  query: brandsQuery,
  counters: ({ total }, { t, fmt }) => [
    { key: 'total', value: fmt.count(total), label: t('counter', { count: total }) },
  ],
  total: ({ total }) => total,
  rowName: ({ label }) => label,
  rowText: (row) =>
    [row.label, row.name, row.autoMatch, row.autoMatchExclude, ...row.companies.map(({ label }) => label)].join(' '),
  exportName: 'brands',
  failure: 'failure',
  card: BrandCard,
  bulk: ({ rows }) => <BulkFlags rows={rows} />,
  actions: BrandsActions,
});

/** What runs for brands, and the buttons for deleted ones and for a new one. */
function BrandsActions() {
  return (
    <>
      <MatchRuns />
      <DeletedButton model="Brand" changes={CHANGED_BY_BRANDS} />
      <CreateBrand />
    </>
  );
}

/** The pattern of a brand's terms and, struck through, the one that keeps terms out. */
function Patterns({ row }: { row: BrandRow }) {
  if (row.autoMatch === '') return <span className={styles.none}>{NONE}</span>;
  return (
    <span className={styles.patterns} title={[row.autoMatch, row.autoMatchExclude].filter(Boolean).join(' − ')}>
      <code>{readPattern(row.autoMatch).text}</code>
      {row.autoMatchExclude !== '' && <del>{readPattern(row.autoMatchExclude).text}</del>}
    </span>
  );
}

function Companies({ row }: { row: BrandRow }) {
  if (row.companies.length === 0) return <span className={styles.none}>{NONE}</span>;
  return <Tags row={{ categories: row.companies }} />;
}

/** A brand as a card, for narrow screens, with its menu and switches. */
function BrandCard({ row, tools: { t } }: { row: BrandRow; tools: Tools }) {
  return (
    <article className={shared.card}>
      <header className={shared.head}>
        <h2 className={styles.title}>
          <BrandLabel row={row} />
        </h2>
        <BrandMenu row={row} />
      </header>
      {row.autoMatch !== '' && <Patterns row={row} />}
      {row.companies.length > 0 && <Companies row={row} />}
      <ul className={styles.flags}>
        {BRAND_FLAGS.map((flag) => (
          <li key={flag}>
            <span className="sentence">{t(`flag.${flag}`)}</span>
            <FlagSwitch row={row} flag={flag} />
          </li>
        ))}
      </ul>
      <dl className={shared.figures}>
        <Figure label={t('column.reminderFrequency')}>
          {row.frequency === null ? NONE : t('days', { count: row.frequency })}
        </Figure>
        <Figure label={t('column.quota')}>{String(row.quota ?? NONE)}</Figure>
      </dl>
    </article>
  );
}
