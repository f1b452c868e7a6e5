import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { adSearch } from '~/api/queries/ads';
import { type DomainRow, type DomainsMeta, domainsKey, domainsQuery } from '~/api/queries/domains';
import { domainFigures } from '~/api/queries/figures';
import { dealersOf } from '~/api/queries/tags';
import { defineList, type Tools } from '~/list/types';
import { type Cell, Countries, DomainLink, Figure, Share } from '~/monitoring/cells';
import { adColumns, adCounters } from '~/monitoring/columns';
import {
  adTextFilters,
  clearOrphanedRegions,
  detectionFilters,
  lastWeekBy,
  withDefaultBrand,
} from '~/monitoring/filters';
import shared from '~/monitoring/monitoring.module.css';
import { BulkTags, EditableTags, tagsCell } from '~/monitoring/tags/Tags';
import type { Taggable } from '~/monitoring/tags/taggable';
import { useCopy } from '~/ui/buttons';

/** The tags of a domain are linked to its dealer. */
const taggableDomains: Taggable<DomainRow> = {
  scope: 'tag',
  listKey: domainsKey,
  nameOf: ({ domain }) => domain,
  entitiesOf: async (rows) => {
    const dealers = await dealersOf(rows.map(({ domain }) => domain));
    return new Map(
      rows.flatMap(({ id, domain }) => {
        const dealer = dealers.get(domain);
        return dealer === undefined ? [] : [[id, dealer] as const];
      }),
    );
  },
};

const TagsCell = tagsCell(taggableDomains);
const VisibilityCell = ({ data, context }: Cell<DomainRow>) => data && <Visibility row={data} tools={context} />;

export const domainsList = defineList<['domains', 'monitoring', 'market', 'common', 'list', 'portal']>()<
  DomainRow,
  DomainsMeta
>({
  path: '/domains',
  ns: ['domains', 'monitoring', 'market', 'common', 'list', 'portal'],
  title: 'common:title.domains',
  filters: {
    ...detectionFilters,
    ...adTextFilters,
    appearance: {
      kind: 'choice',
      label: 'filter.appearance',
      group: 'monitoring:group.lastDetection',
      single: true,
      options: [
        { value: 'new', label: 'appearance.new' },
        { value: 'returning', label: 'appearance.returning' },
      ],
    },
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
  rules: clearOrphanedRegions,

  columns: (tools) => {
    const { t, fmt } = tools;
    const { countries, domain, nbAds, nbViews, tags } = adColumns(tools);
    return [
      countries,
      {
        colId: 'visibility',
        headerName: t('column.visibility'),
        width: 132,
        field: 'share',
        cellRenderer: VisibilityCell,
      },
      domain,
      {
        colId: 'averagePosition',
        headerName: t('column.averagePosition'),
        type: 'rightAligned',
        width: 96,
        field: 'averagePosition',
        valueFormatter: ({ value }) => (typeof value === 'number' ? fmt.position(value) : '–'),
      },
      nbAds,
      nbViews,
      { ...tags, cellRenderer: TagsCell },
    ];
  },
  query: domainsQuery,
  counters: (meta, tools) => [
    {
      key: 'domains',
      value: tools.fmt.count(meta.total),
      label: tools.t('counter.domains', { count: meta.total }),
    },
    ...adCounters(meta, tools),
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
  bulk: BulkActions,
});

/** The row's share of all views, in percent and as a bar whose full track is 100 %. */
function Visibility({ row, tools }: { row: DomainRow; tools: Tools }) {
  return <Share text={tools.fmt.visibility(row.share)} percent={row.share} />;
}

/** A domain as a card, for narrow screens, with the same figures as its table row and editable tags. */
function DomainCard({ row, tools }: { row: DomainRow; tools: Tools }) {
  const { t, fmt } = tools;
  return (
    <article className={shared.card}>
      <header className={shared.head}>
        <DomainLink row={row} tools={tools} />
        <Countries row={row} tools={tools} />
      </header>
      <Visibility row={row} tools={tools} />
      <dl className={shared.figures}>
        <Figure label={t('column.averagePosition')}>
          {row.averagePosition === null ? '–' : fmt.position(row.averagePosition)}
        </Figure>
        <Figure label={t('monitoring:column.nbAds')}>{fmt.count(row.nbAds)}</Figure>
        <Figure label={t('monitoring:column.nbViews')}>{fmt.count(row.nbViews)}</Figure>
      </dl>
      <EditableTags row={row} taggable={taggableDomains} />
    </article>
  );
}

/** The buttons for the selected domains: copy their names, edit their tags. Calls `onDone` only once tags were changed. */
function BulkActions({ rows, onDone }: { rows: readonly DomainRow[]; onDone(): void }) {
  return (
    <>
      <CopyDomains rows={rows} />
      <BulkTags rows={rows} taggable={taggableDomains} onDone={onDone} />
    </>
  );
}

/** A button that copies the selected domains, one per line; its label shows the outcome for two seconds. */
function CopyDomains({ rows }: { rows: readonly DomainRow[] }) {
  const { t } = useTranslation('list');
  const { state, copy } = useCopy();
  return (
    <Button size="compact-sm" onClick={() => copy(rows.map((row) => row.domain).join('\n'))}>
      <span aria-live="polite">
        {state === 'failed' ? t('copyFailed') : state === 'copied' ? t('copied') : t('copy')}
      </span>
    </Button>
  );
}
