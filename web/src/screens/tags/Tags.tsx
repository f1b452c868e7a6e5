import { Tooltip } from '@mantine/core';
import { IconLock, IconSearch, IconUser, IconUsersGroup, IconWorld } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { searchBrandsOfTags, searchDealers, searchTerms } from '~/api/queries/choices';
import { type TagRow, type TagsMeta, tagsQuery } from '~/api/queries/tagList';
import { tagWithBrand } from '~/api/queries/tags';
import { isAdmin, type Me, useMe } from '~/api/session';
import { dayjs, lastDays } from '~/lib/dates';
import { FIRST_PAGE, type Where } from '~/lib/listSearch';
import { defineList, type Tools } from '~/list/types';
import { type Cell, Figure, Share } from '~/monitoring/cells';
import shared from '~/monitoring/monitoring.module.css';
import { TagMenu, TagsActions } from './TagActions';
import styles from './Tags.module.css';

/** The days that the totals of views are of. */
const DAYS = 30;

const ScopeCell = ({ data, context }: Cell<TagRow>) => data && <Scope row={data} tools={context} />;
const LabelCell = ({ data }: Cell<TagRow>) => data && <Label row={data} />;
const SlugCell = ({ data }: Cell<TagRow>) => data && <span className={styles.slug}>{data.slug || '–'}</span>;
const ParentCell = ({ data }: Cell<TagRow>) => data && <Name text={data.parent} />;
const BrandCell = ({ data, context }: Cell<TagRow>) => data && <Name text={brandOf(data, context)} />;
const VisibilityCell = ({ data, context }: Cell<TagRow>) => data && <Visibility row={data} tools={context} />;
const UsesCell = ({ data, context }: Cell<TagRow>) => data && <Uses row={data} tools={context} />;
const ViewsCell = ({ data, context }: Cell<TagRow>) => data && <Views row={data} tools={context} />;
const MenuCell = ({ data }: Cell<TagRow>) => data && <UnlockedMenu row={data} />;

export const tagsList = defineList<['tags', 'common', 'list']>()<TagRow, TagsMeta>({
  path: '/tags',
  ns: ['tags', 'common', 'list'],
  title: 'common:title.tags',
  filters: {
    brandOwnerId: {
      kind: 'asyncChoice',
      label: 'filter.brand',
      group: 'group.tag',
      quick: true,
      search: searchBrandsOfTags,
    },
    scope: {
      kind: 'choice',
      label: 'filter.scope',
      group: 'group.tag',
      quick: true,
      options: [
        { value: 'tag', label: 'scope.tag' },
        { value: 'term', label: 'scope.term' },
      ],
    },
    domain: { kind: 'asyncChoice', label: 'filter.domain', group: 'group.usedOn', quick: true, search: searchDealers },
    term: { kind: 'asyncChoice', label: 'filter.term', group: 'group.usedOn', quick: true, search: searchTerms },
  },
  sorts: ['scope', 'label', 'name', 'totalViews'],
  perPage: [30, 100, 200, 500, 'all'],
  defaults: () => ({ page: FIRST_PAGE, perPage: 30, order: 'totalViews', direction: 'DESC', filters: {} }),
  columns: ({ t }) => [
    { colId: 'scope', headerName: t('column.scope'), field: 'scope', width: 124, cellRenderer: ScopeCell },
    { colId: 'label', headerName: t('column.label'), field: 'label', flex: 3, minWidth: 150, cellRenderer: LabelCell },
    { colId: 'name', headerName: t('column.name'), field: 'slug', flex: 2, minWidth: 120, cellRenderer: SlugCell },
    {
      colId: 'parent',
      headerName: t('column.parent'),
      field: 'parent',
      flex: 2,
      minWidth: 110,
      cellRenderer: ParentCell,
    },
    { colId: 'brand', headerName: t('column.brand'), field: 'brand', flex: 2, minWidth: 110, cellRenderer: BrandCell },
    {
      colId: 'visibility',
      headerName: t('column.visibility'),
      field: 'visibility',
      width: 130,
      cellRenderer: VisibilityCell,
    },
    { colId: 'uses', headerName: t('column.uses'), field: 'uses', width: 124, cellRenderer: UsesCell },
    { colId: 'totalViews', headerName: t('column.totalViews'), field: 'share', width: 176, cellRenderer: ViewsCell },
    { colId: 'actions', headerName: t('column.actions'), width: 84, resizable: false, cellRenderer: MenuCell },
  ],
  redundant: (_filters, me) => (isAdmin(me) ? [] : ['name']),
  query: tagsQuery,
  counters: ({ total, ofDomains }, { t, fmt }) => [
    { key: 'total', value: fmt.count(total), label: t('counter.tags', { count: total }) },
    ...(ofDomains === undefined
      ? []
      : [
          { key: 'domains', value: fmt.count(ofDomains), label: t('counter.ofDomains') },
          { key: 'terms', value: fmt.count(total - ofDomains), label: t('counter.ofTerms') },
        ]),
  ],
  total: ({ total }) => total,
  rowName: (row) => tagWithBrand(row),
  rowText: (row) => [row.label, row.slug, row.parent, row.brand].join(' '),
  exportName: 'tags',
  card: TagCard,
  actions: TagsActions,
});

/** The name of a tag's brand; a dash where there is none. */
const brandOf = ({ brand, brandOwnerId, visibility }: TagRow, { t }: Tools): string | undefined =>
  brandOwnerId === null && visibility === 'all' ? t('allBrands') : brand;

/** Why this user cannot change a tag; undefined where nothing is in the way. */
const lockOf = ({ isSystem, visibility }: TagRow, me: Me): 'system' | 'shared' | undefined => {
  if (isSystem) return 'system';
  return visibility === 'all' && !isAdmin(me) ? 'shared' : undefined;
};

interface Props {
  row: TagRow;
  tools: Tools;
}

/** Whether the tag marks terms or advertisers, with an icon. */
function Scope({ row, tools }: Props) {
  const Icon = row.scope === 'term' ? IconSearch : IconWorld;
  return (
    <span className={styles.marked}>
      <Icon size={15} aria-hidden />
      <span className="sentence">{tools.t(`scope.${row.scope}`)}</span>
    </span>
  );
}

/** The label of a tag; where this user may not change the tag, a lock whose tooltip says why. */
function Label({ row }: { row: TagRow }) {
  const { t } = useTranslation('tags');
  const lock = lockOf(row, useMe());
  const reason = lock && t(`locked.${lock}`);
  return (
    <span className={styles.label}>
      <span className={styles.tag} title={row.label}>
        {row.label}
      </span>
      {reason && (
        <Tooltip label={reason} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its reason can be read by keyboard, too */}
          <span className={styles.lock} role="img" aria-label={reason} tabIndex={0}>
            <IconLock size={15} aria-hidden />
          </span>
        </Tooltip>
      )}
    </span>
  );
}

/** A name; a dash where there is none. */
function Name({ text }: { text: string | undefined }) {
  return (
    <span className={shared.clamp} title={text}>
      {text ?? '–'}
    </span>
  );
}

/** The menu of a tag, where this user can change it. */
function UnlockedMenu({ row }: { row: TagRow }) {
  return lockOf(row, useMe()) ? null : <TagMenu row={row} />;
}

/** Whether all users see the tag or only those of its brand, with an icon. */
function Visibility({ row, tools }: Props) {
  const Icon = row.visibility === 'all' ? IconUsersGroup : IconUser;
  return (
    <span className={styles.marked}>
      <Icon size={15} aria-hidden />
      <span className="sentence">{tools.t(`visibility.${row.visibility}`)}</span>
    </span>
  );
}

/** How many domains or terms have the tag, as a link to those seen in the days of its views. */
function Uses({ row, tools: { t } }: Props) {
  if (row.uses === undefined) return <span className={styles.none}>–</span>;
  const text = t(`uses.${row.scope}`, { count: row.uses });
  if (row.uses === 0) return <span className={styles.none}>{text}</span>;
  const tag = tagWithBrand(row);
  const search: Record<string, Where> = {
    date: { type: 'between', value: lastDays(DAYS, dayjs()), preset: 'last30' },
    [row.scope === 'term' ? 'keywordTag' : 'advertiserTag']: { type: 'inq', value: [Number(row.id)], labels: [tag] },
  };
  return row.scope === 'term' ? (
    <Link className={styles.link} to="/terms" search={search} title={t('openTerms', { tag })}>
      {text}
    </Link>
  ) : (
    <Link className={styles.link} to="/domains" search={search} title={t('openDomains', { tag })}>
      {text}
    </Link>
  );
}

/** The views, with a bar; it is full for the tag with the most views on the page. */
function Views({ row, tools: { fmt } }: Props) {
  return <Share text={fmt.count(row.totalViews)} percent={row.share} />;
}

/** A tag as a card, for narrow screens; with a menu only if this user may change it. */
function TagCard({ row, tools }: Props) {
  const { t, fmt } = tools;
  return (
    <article className={shared.card}>
      <header className={shared.head}>
        <h2 className={styles.title}>
          <Label row={row} />
        </h2>
        <UnlockedMenu row={row} />
      </header>
      <div className={styles.marks}>
        <Scope row={row} tools={tools} />
        <Visibility row={row} tools={tools} />
        <Uses row={row} tools={tools} />
      </div>
      <dl className={shared.figures}>
        <Figure label={t('column.brand')}>{brandOf(row, tools) ?? '–'}</Figure>
        {row.parent !== undefined && <Figure label={t('column.parent')}>{row.parent}</Figure>}
        {!tools.redundant?.includes('name') && row.slug !== '' && <Figure label={t('column.name')}>{row.slug}</Figure>}
        <Figure label={t('column.totalViews')}>{fmt.count(row.totalViews)}</Figure>
      </dl>
    </article>
  );
}
