import { Link } from '@tanstack/react-router';
import { adSearch } from '~/api/queries/ads';
import { termFigures } from '~/api/queries/figures';
import { type TermRow, type TermsMeta, termsKey, termsQuery } from '~/api/queries/terms';
import { OpenAds } from '~/list/portal/OpenAds';
import { defineList, type Tools } from '~/list/types';
import { Brand, type Cell, Engine, Figure } from '~/monitoring/cells';
import { adColumns, adCounters, countColumn } from '~/monitoring/columns';
import {
  clearOrphanedRegions,
  detectionFilters,
  lastWeekBy,
  redundantBrand,
  withDefaultBrand,
} from '~/monitoring/filters';
import shared from '~/monitoring/monitoring.module.css';
import { BulkTags, EditableTags, tagsCell } from '~/monitoring/tags/Tags';
import type { Taggable } from '~/monitoring/tags/taggable';
import { Flag } from '~/ui/marketIcons';
import styles from './Terms.module.css';

const taggableTerms: Taggable<TermRow> = {
  scope: 'term',
  listKey: termsKey,
  nameOf: ({ content }) => content,
  entitiesOf: async (rows) => new Map(rows.map(({ id, termId }) => [id, termId])),
};

const TagsCell = tagsCell(taggableTerms);
const LocaleCell = ({ data, context }: Cell<TermRow>) => data && <Locale row={data} tools={context} />;
const EngineCell = ({ data, context }: Cell<TermRow>) => data && <Engine row={data} tools={context} />;
const ContentCell = ({ data, context }: Cell<TermRow>) => data && <Content row={data} tools={context} />;

export const termsList = defineList<['terms', 'monitoring', 'market', 'common', 'list', 'portal']>()<
  TermRow,
  TermsMeta
>({
  path: '/terms',
  ns: ['terms', 'monitoring', 'market', 'common', 'list', 'portal'],
  title: 'common:title.terms',
  filters: detectionFilters,
  sorts: ['content', 'engine', 'locale', 'nbCompetitors', 'nbAds', 'nbViews'],
  perPage: [30, 100, 200, 500, 'all'],

  defaults: (_me, now) => lastWeekBy('nbCompetitors', now),
  complete: withDefaultBrand,
  rules: clearOrphanedRegions,

  columns: (tools) => {
    const { t, fmt } = tools;
    const { brand, nbAds, nbViews, tags } = adColumns(tools);
    return [
      { colId: 'locale', headerName: t('column.locale'), width: 156, field: 'locale', cellRenderer: LocaleCell },
      { colId: 'engine', headerName: t('column.engine'), width: 96, field: 'engine', cellRenderer: EngineCell },
      {
        colId: 'content',
        headerName: t('column.content'),
        flex: 2,
        minWidth: 176,
        // The link depends on the list's filters: a new value makes the grid draw the cell again.
        field: 'domainsFilters',
        cellRenderer: ContentCell,
      },
      brand,
      countColumn('nbCompetitors', t('column.nbCompetitors'), 120, fmt),
      nbAds,
      nbViews,
      { ...tags, minWidth: 108, cellRenderer: TagsCell },
    ];
  },
  redundant: ({ brandID }, me) => redundantBrand(brandID, me),
  query: termsQuery,
  counters: (meta, tools) => [
    { key: 'terms', value: tools.fmt.count(meta.total), label: tools.t('counter.terms', { count: meta.total }) },
    ...adCounters(meta, tools),
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
  bulk: ({ rows, onDone }) => <BulkTags rows={rows} taggable={taggableTerms} onDone={onDone} />,
});

/** The place a term is searched from: flag, city and targeted region, without those it does not have. */
function Locale({ row, tools }: { row: TermRow; tools: Tools }) {
  const places = [row.localization, row.region].filter((name): name is string => Boolean(name));
  return (
    <span className={styles.locale}>
      <Flag code={row.country} label={tools.fmt.country(row.country)} />
      <span className={shared.clamp}>{places.map(tools.fmt.place).join(', ')}</span>
    </span>
  );
}

/** The keywords as a link to the domains that advertise on them, under the filters of the row, and a button for their ads. */
function Content({ row, tools }: { row: TermRow; tools: Tools }) {
  return (
    <span className={styles.term}>
      <Link
        className={`${shared.clamp} ${styles.content}`}
        to="/domains"
        search={row.domainsFilters}
        title={tools.t('openDomains', { content: row.content })}
      >
        {row.content}
      </Link>
      <OpenAds row={row} title={row.content} tools={tools} />
    </span>
  );
}

/**
 * A term as a card, for narrow screens, with the same figures as its table row and editable tags; the brand is left out where the list hides its
 * column.
 */
function TermCard({ row, tools }: { row: TermRow; tools: Tools }) {
  const { t, fmt } = tools;
  return (
    <article className={shared.card}>
      <header className={shared.head}>
        <Content row={row} tools={tools} />
        <Engine row={row} tools={tools} />
      </header>
      <Locale row={row} tools={tools} />
      {row.brand && !tools.redundant?.includes('brand') && <Brand row={row} />}
      <dl className={shared.figures}>
        <Figure label={t('column.nbCompetitors')}>{fmt.count(row.nbCompetitors)}</Figure>
        <Figure label={t('monitoring:column.nbAds')}>{fmt.count(row.nbAds)}</Figure>
        <Figure label={t('monitoring:column.nbViews')}>{fmt.count(row.nbViews)}</Figure>
      </dl>
      <EditableTags row={row} taggable={taggableTerms} />
    </article>
  );
}
