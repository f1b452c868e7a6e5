import { adSearch } from '~/api/queries/ads';
import { type AdvertiserRow, type AdvertisersMeta, advertisersQuery } from '~/api/queries/advertisers';
import { lastDays } from '~/lib/dates';
import { FIRST_PAGE, type Where } from '~/lib/listSearch';
import { defineList, type Filters, type Tools } from '~/list/types';
import { Brand, type Cell, Countries, DomainLink, Engine, Figure } from '~/monitoring/cells';
import { adColumns } from '~/monitoring/columns';
import { redundantBrand } from '~/monitoring/filters';
import shared from '~/monitoring/monitoring.module.css';
import { EditableTags, tagsCell } from '~/monitoring/tags/Tags';
import styles from './Advertisers.module.css';
import { BulkActions, taggableAdvertisers } from './BulkActions';
import { DEFAULT_SORT, filters, resetStatusSort, SORTS, sortMenu } from './filters';
import { RowMenu } from './RowMenu';

/** The statuses that have a counter, in order. */
const COUNTED_STATUSES = [
  'new',
  'inprogress',
  'accepted',
  'refused',
  'requested',
  'disappeared',
  'blocked',
  'reminded',
] as const;

/** The statuses that record a decision. */
const DECIDED = ['ignored', 'accepted', 'refused'];

/** The date of the last change, for statuses that record a decision; null for the others. */
export const updatedDate = (row: AdvertiserRow): string | null =>
  DECIDED.includes(row.status) ? (row.updatedDate ?? null) : null;

/** The date of the last status; a reappearance without one shows its creation date. */
export const lastStatusDate = (row: AdvertiserRow): string | null =>
  row.lastStatusDate ?? (row.status === 'reappearance' ? (row.createdDate ?? null) : null);

const compact = (filters: Readonly<Record<string, Where | undefined>>): Filters =>
  Object.fromEntries(Object.entries(filters).filter((entry): entry is [string, Where] => entry[1] !== undefined));

/** The ads of one case: those of its brand, in its country and on its engine. */
const adsOf = (row: AdvertiserRow, filters: Filters) => {
  const only = (value: string | number | null | undefined): Where | undefined =>
    value == null ? undefined : { type: 'inq', value: [value] };
  const narrowed = { ...filters, brandID: only(row.brandId), country: only(row.country), engine: only(row.engine) };
  return adSearch({ domain: row.domain }, compact(narrowed), undefined, 'lastView');
};

/** The filters that also apply to captures, under the names that the lists of ads use. */
const captureFilters = ({ lastView, brandId, provider, country, language, keywordTag }: Filters): Filters =>
  compact({ date: lastView, brandID: brandId, engine: provider, country, language, keywordTag });

const TagsCell = tagsCell(taggableAdvertisers);
const EngineCell = ({ data, context }: Cell<AdvertiserRow>) => data && <Engine row={data} tools={context} iconOnly />;
const StatusCell = ({ data, context }: Cell<AdvertiserRow>) => data && <Status row={data} tools={context} />;
const MenuCell = ({ data }: Cell<AdvertiserRow>) => data && <RowMenu row={data} />;

export const advertisersList = defineList<['advertisers', 'monitoring', 'market', 'common', 'list', 'portal']>()<
  AdvertiserRow,
  AdvertisersMeta
>({
  path: '/advertisers',
  ns: ['advertisers', 'monitoring', 'market', 'common', 'list', 'portal'],
  title: 'common:title.advertisers',
  filters,
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
  rules: resetStatusSort,

  columns: (tools) => {
    const { t, fmt } = tools;
    const { domain, brand, countries, nbAds, nbViews, tags } = adColumns(tools);
    const date = {
      width: 98,
      valueFormatter: ({ value }: { value?: unknown }) => (typeof value === 'string' ? fmt.date(value) : ''),
    };
    return [
      { colId: 'engine', headerName: t('column.engine'), width: 62, field: 'engine', cellRenderer: EngineCell },
      { ...domain, minWidth: 206 },
      brand,
      { ...date, colId: 'createdDate', headerName: t('column.createdDate'), field: 'createdDate' },
      { ...countries, width: 60 },
      {
        ...date,
        colId: 'updatedDate',
        headerName: t('column.updatedDate'),
        valueGetter: ({ data }) => data && updatedDate(data),
      },
      { ...date, colId: 'lastView', headerName: t('column.lastView'), field: 'lastView' },
      { colId: 'status', headerName: t('column.status'), width: 122, field: 'status', cellRenderer: StatusCell },
      {
        ...date,
        colId: 'lastStatusDate',
        headerName: t('column.lastStatusDate'),
        valueGetter: ({ data }) => data && lastStatusDate(data),
      },
      { ...nbAds, width: 60 },
      { ...nbViews, width: 68 },
      { ...tags, cellRenderer: TagsCell },
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
  redundant: ({ brandId }, me) => redundantBrand(brandId, me),
  query: advertisersQuery,
  counters: ({ total, subTotal }, { t, fmt }) => [
    { key: 'advertisers', value: fmt.count(total), label: t('counter.advertisers', { count: total }) },
    ...COUNTED_STATUSES.filter((status) => status in subTotal).map((status) => ({
      key: status,
      value: fmt.count(subTotal[status] ?? 0),
      label: t(`counter.${status}`, { count: subTotal[status] ?? 0 }),
    })),
  ],
  total: ({ total }) => total,
  captures: captureFilters,
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
  bulk: BulkActions,
});

/** The status of a case in words, after a dot in its colour. */
function Status({ row, tools }: { row: AdvertiserRow; tools: Tools }) {
  return (
    <span className={styles.status}>
      <span className={styles.dot} data-status={row.status} aria-hidden />
      <span className="sentence">{tools.t(`status.${row.status}`)}</span>
    </span>
  );
}

/** The card of an advertiser's case, for narrow windows: its domain, menu, status, market, brand unless redundant, dates, figures and tags. */
function AdvertiserCard({ row, tools }: { row: AdvertiserRow; tools: Tools }) {
  const { t, fmt } = tools;
  const date = (value: string | null | undefined) => (value ? fmt.date(value) : '–');
  const count = (value: number | null | undefined) => (value == null ? '–' : fmt.count(value));
  return (
    <article className={shared.card}>
      <header className={shared.head}>
        <DomainLink row={row} tools={tools} />
        <RowMenu row={row} />
      </header>
      <div className={shared.head}>
        <Status row={row} tools={tools} />
        <span className={shared.marks}>
          <Engine row={row} tools={tools} iconOnly />
          <Countries row={row} tools={tools} />
        </span>
      </div>
      {row.brand && !tools.redundant?.includes('brand') && <Brand row={row} />}
      <dl className={shared.figures}>
        <Figure label={t('column.createdDate')}>{date(row.createdDate)}</Figure>
        {updatedDate(row) && <Figure label={t('column.updatedDate')}>{date(updatedDate(row))}</Figure>}
        <Figure label={t('column.lastView')}>{date(row.lastView)}</Figure>
        <Figure label={t('column.lastStatusDate')}>{date(lastStatusDate(row))}</Figure>
        <Figure label={t('monitoring:column.nbAds')}>{count(row.nbAds)}</Figure>
        <Figure label={t('monitoring:column.nbViews')}>{count(row.nbViews)}</Figure>
      </dl>
      <EditableTags row={row} taggable={taggableAdvertisers} />
    </article>
  );
}
