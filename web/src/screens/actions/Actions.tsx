import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  allCasesOf,
  type CaseRow,
  type CasesMeta,
  casesQuery,
  casesStream,
  todoQuery,
  todoStream,
} from '~/api/queries/actions';
import { FIRST_PAGE } from '~/lib/listSearch';
import { toAddress } from '~/list/address';
import { defineList, type LiveProps, type Tools } from '~/list/types';
import { redundantBrand } from '~/monitoring/filters';
import { lazyPart } from '~/ui/lazyPart';
import { CaseCard, CaseHeads } from './CaseCard';
import { CaseKeys, KEY_HELP } from './CaseKeys';
import { BY_PRIORITY, defaults, filters, presets, resetStatusSort, SORTS, sortMenu, WAITING_LONGEST } from './filters';
import { GroupResultLine } from './GroupResultLine';

const CaseBulk = lazyPart(() => import('./CaseBulk').then((module) => module.CaseBulk));
const LiveChanges = lazyPart(() => import('./LiveChanges').then((module) => module.LiveChanges));

/** The most cases that the server changes at once. */
const MOST_AT_ONCE = 10_000;

type Texts = ['actions', 'advertisers', 'monitoring', 'market', 'common', 'list'];
const NAMESPACES = ['actions', 'advertisers', 'monitoring', 'market', 'common', 'list'] as const;

/** What both lists of cases have in common. */
const cases = {
  ns: NAMESPACES,
  perPage: [30, 100, 200, 500, 'all'] as const,
  view: 'cards' as const,
  columns: () => [],
  counters: ({ total }: CasesMeta, { t, fmt }: Tools<never>) => [
    { key: 'actions', value: fmt.count(total), label: (t as Tools['t'])('count', { count: total }) },
  ],
  total: ({ total }: CasesMeta) => total,
  rowName: ({ domain }: CaseRow) => domain,
  rowText: (row: CaseRow) =>
    [row.domain, row.brand, row.engine, row.country, row.status, ...row.categories.map(({ label }) => label)].join(' '),
  card: CaseCard,
  cardHeads: CaseHeads,
  keys: { listen: CaseKeys, help: KEY_HELP },
  bulk: CaseBulk,
  notice: GroupResultLine,
};

export const actionsList = defineList<Texts>()<CaseRow, CasesMeta>({
  ...cases,
  path: '/actions',
  title: 'common:title.actions',
  filters,
  sorts: SORTS,
  sortMenu,
  unsorted: BY_PRIORITY,
  defaults,
  rules: resetStatusSort,
  redundant: ({ brandId }, me) => redundantBrand(brandId, me),
  query: casesQuery,
  exportName: 'actions',
  whole: { where: allCasesOf, most: MOST_AT_ONCE, offer: 'bulk.offer' },
  presets,
  live: ({ search, rows, onShow }: LiveProps<CaseRow>) => (
    <LiveChanges stream={casesStream(search)} rows={rows} onShow={onShow} />
  ),
  empty: { title: 'list:emptyTitle', text: 'empty' },
});

export const todoList = defineList<Texts>()<CaseRow, CasesMeta>({
  ...cases,
  path: '/todo',
  title: 'common:title.todo',
  filters: {},
  // The server orders it.
  sorts: ['priority'],
  defaults: () => ({ page: FIRST_PAGE, perPage: 30, order: 'priority', direction: 'DESC', filters: {} }),
  redundant: (_, me) => redundantBrand(undefined, me),
  query: todoQuery,
  exportName: 'todo',
  live: ({ rows, onShow }: LiveProps<CaseRow>) => <LiveChanges stream={todoStream()} rows={rows} onShow={onShow} />,
  empty: { title: 'todo.emptyTitle', text: 'todo.emptyText', action: WaitingLongest },
});

/** Leads to the cases that wait for an answer, for who has nothing to do. */
function WaitingLongest() {
  const { t } = useTranslation('actions');
  return (
    <Button
      variant="default"
      renderRoot={(props) => (
        <Link {...props} to="/actions" search={toAddress({ page: FIRST_PAGE, perPage: 30, ...WAITING_LONGEST })} />
      )}
    >
      {t('todo.waitingLongest')}
    </Button>
  );
}
