import { UnstyledButton } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { isUnreachable } from '~/api/errors';
import { useMe } from '~/api/session';
import { dayjs } from '~/lib/dates';
import { FIRST_PAGE, type ListSearch } from '~/lib/listSearch';
import { useHandheld } from '~/ui/environment';
import { lazyPart } from '~/ui/lazyPart';
import {
  parseListSearch,
  sameAddress,
  toAddress,
  withFilter,
  withFilters,
  withPage,
  withPerPage,
  withSort,
} from './address';
import { Coverage } from './Coverage';
import { place } from './cards/place';
import { useCompact } from './cards/useCompact';
import { parseLayout, useColumnChoice } from './columns';
import { filterEntries } from './entries';
import { AppliedStrip, offeredOrders, QuickFilters, SortMenu } from './FilterBar';
import { useFigures } from './figures/useFigures';
import type { ListTexts } from './filters/kinds';
import { ListHeading, matchingRows } from './ListHeading';
import styles from './ListScreen.module.css';
import { errorSlots, ListState, OfflineRowsAge, SkeletonRows } from './ListState';
import { Pager, pageCount } from './Pager';
import { refreshPresets } from './savedSearch';
import { useSelection } from './selection';
import type { ListDef, Preset, Translate } from './types';
import { useFailureToast, useLastPage, useListState, useListTexts } from './useListState';

const DataGrid = lazyPart(() => import('./DataGrid').then((module) => module.DataGrid), {
  waiting: <SkeletonRows cards={false} />,
});
const CardsView = lazyPart(() => import('./cards/CardsView').then((module) => module.CardsView), {
  waiting: <SkeletonRows cards />,
});
const CardList = lazyPart(() => import('./CardList').then((module) => module.CardList), {
  waiting: <SkeletonRows cards />,
});
const CardTools = lazyPart(() => import('./cards/CardTools').then((module) => module.CardTools));
const AdPortal = lazyPart(() => import('./portal/AdPortal').then((module) => module.AdPortal), {
  texts: ['portal', 'market'],
});
const BulkBar = lazyPart(() => import('./BulkBar').then((module) => module.BulkBar));
const SavedViews = lazyPart(() => import('./SavedViews').then((module) => module.SavedViews));
const FilterDrawer = lazyPart(() => import('./FilterDrawer').then((module) => module.FilterDrawer));

interface Props<Row extends { id: string }, Meta> {
  def: ListDef<Row, Meta>;
}

/**
 * A list screen, rendered from its definition: loads the page that the address asks for, and shows heading, filters, rows (cards in narrow
 * windows), the ads of one row, pager and bulk actions. The search box filters the loaded page only.
 */
export function ListScreen<Row extends { id: string }, Meta>({ def }: Props<Row, Meta>) {
  const texts = useListTexts(def);
  const handheld = useHandheld();
  const { search, change, reset } = useListState(def);
  const me = useMe();
  const { notice: Notice, live: Live } = def;
  const asCards = def.view === 'cards';
  const [compact, setCompact] = useCompact(me.id);
  const [helpOpen, setHelpOpen] = useState(false);
  const bulk = def.selectable?.(me) === false ? undefined : def.bulk;
  const query = useQuery({ ...def.query(search), placeholderData: keepPreviousData });
  const errors = errorSlots(query.error);
  const page = query.isError ? undefined : query.data;
  const columnChoice = useColumnChoice(def, texts, search.filters);
  const { redundant } = columnChoice;
  const { ads } = def;
  const [openId, setOpenId] = useState<string>();
  const closePortal = useCallback(() => setOpenId(undefined), []);
  const figures = useFigures(def, search, query.isPlaceholderData ? undefined : page);
  // Read through a ref, so that new figures leave the tools, and with them columns and cards, as they are.
  const latest = useRef(figures);
  latest.current = figures;
  const tools = useMemo(
    () => ({
      figures: {
        of: (id: string) => latest.current.of(id),
        subscribe: (changed: () => void) => latest.current.subscribe(changed),
      },
      t: texts.own,
      fmt: texts.fmt,
      redundant,
      showAds: ads && (({ id }: { id: string }) => setOpenId((open) => (open === id ? undefined : id))),
    }),
    [texts.own, texts.fmt, redundant, ads],
  );

  const [panelOpen, setPanelOpen] = useState(false);
  const [text, setText] = useState('');
  const deferredText = useDeferredValue(text);
  const rows = useMemo(() => matchingRows(page?.rows ?? [], deferredText, def.rowText), [page, deferredText, def]);
  const selection = useSelection(rows, search);

  const portal = useCallback(
    (row: Row) => ads && <AdPortal key={row.id} {...ads(row, search.filters)} onClose={closePortal} />,
    [ads, search.filters, closePortal],
  );
  // A new search shows other rows: close the portal.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new address closes it
  useEffect(closePortal, [search]);

  const lastPage = page && pageCount(def.total(page.meta), search.perPage);
  useLastPage(search, query.isPlaceholderData ? undefined : lastPage, change);
  useFailureToast(def, texts, search, query);

  const orders = offeredOrders(def, search.filters, texts, handheld ? columnChoice.columns : undefined);
  const { unsorted } = def;
  const isSorted = unsorted && (search.order !== unsorted.order || search.direction !== unsorted.direction);
  const hasFilters = Object.keys(def.filters).length > 0;
  const entries = filterEntries(def, search.filters, search.filters, texts);
  const applied = entries.filter((entry) => entry.value !== undefined);
  const whole = wholeOf(def, search, texts, deferredText === '' ? page : undefined);
  const refreshing = !query.isPaused && (query.isPlaceholderData || (query.isFetching && !query.isLoading));

  const body = () => {
    if (query.isLoading || (query.isError && query.isFetching))
      return <SkeletonRows cards={handheld || asCards} compact={asCards && compact} />;
    const retry = () => void query.refetch();
    if (query.isPaused && !page) return <ListState kind="unreachable" onRetry={retry} />;
    if (errors.timeout) return <ListState kind="tooMany" onRetry={retry} />;
    if (errors.other) return <ListState kind={isUnreachable(query.error) ? 'unreachable' : 'error'} onRetry={retry} />;
    if (!page || page.rows.length === 0) {
      const own = def.empty && { ...def.empty, title: texts.own(def.empty.title), text: texts.own(def.empty.text) };
      return <ListState kind="empty" filtered={applied.length > 0} onReset={reset} own={own} />;
    }
    if (rows.length === 0) return <ListState kind="noMatch" text={deferredText} onClear={() => setText('')} />;
    if (asCards) {
      return (
        <CardsView
          // Another page begins at its first card.
          key={JSON.stringify(search)}
          def={def}
          rows={rows}
          search={search}
          tools={tools}
          selection={bulk && selection}
          compact={compact}
          onPage={{
            next: page.next === undefined ? undefined : () => change(withPage(search, search.page + 1)),
            previous: page.prev === undefined ? undefined : () => change(withPage(search, search.page - 1)),
          }}
          helpOpen={helpOpen}
          onHelp={setHelpOpen}
        />
      );
    }
    if (handheld) {
      const open = rows.find(({ id }) => id === openId);
      const under = open && { id: open.id, portal: portal(open) };
      return (
        <CardList
          rows={rows}
          card={def.card}
          tools={tools}
          selection={bulk && selection}
          nameOf={def.rowName}
          figures={def.figures && figures}
          under={under}
        />
      );
    }
    return (
      <DataGrid
        def={def}
        rows={rows}
        search={search}
        choice={columnChoice}
        selection={selection}
        selectable={bulk !== undefined}
        tools={tools}
        openId={openId}
        figures={figures}
        portal={portal}
        onSort={(order) => change(withSort(search, order))}
      />
    );
  };

  return (
    <section className={styles.screen}>
      <ListHeading
        title={texts.own(def.title)}
        counters={page ? def.counters(page.meta, tools) : undefined}
        coverage={def.captures && <Coverage filters={def.captures(search.filters)} />}
        text={text}
        onText={setText}
        columnChoice={handheld || asCards ? undefined : columnChoice}
        views={
          hasFilters && (
            <SavedViews
              path={def.path}
              now={() => ({ search: toAddress(search), columns: { ...columnChoice.layout } })}
              onOpen={(view) => {
                change(refreshPresets(parseListSearch(def, view.search, search), dayjs()));
                if (view.columns) columnChoice.apply(parseLayout(view.columns));
              }}
            />
          )
        }
        exportCsv={page?.exportCsv}
        exportName={def.exportName}
        filters={hasFilters ? { count: applied.length, onOpen: () => setPanelOpen(true) } : undefined}
        actions={def.actions}
      />
      {Notice && <Notice />}
      {def.presets && (
        <Presets
          presets={def.presets}
          search={search}
          name={texts.own}
          label={texts.list('presets')}
          onOpen={(preset) => change({ ...withFilters(search, preset.filters), ...preset })}
        />
      )}
      <div className={styles.filters}>
        {!handheld && (
          <QuickFilters
            entries={entries.filter((entry) => entry.def.quick)}
            filters={search.filters}
            texts={texts}
            onChange={(name, where) => change(withFilter(search, name, where))}
          />
        )}
        {orders.length > 0 && (
          <SortMenu
            options={orders}
            search={search}
            onSort={(order, direction) => change({ ...withSort(search, order), direction })}
            onRemove={isSorted ? () => change({ ...withPage(search, FIRST_PAGE), ...unsorted }) : undefined}
          />
        )}
        <AppliedStrip
          entries={applied}
          onRemove={(name) => change(withFilter(search, name, undefined))}
          onReset={reset}
        />
        {asCards && (
          <div className={styles.end}>
            {Live && page && !query.isPlaceholderData && (
              <Live
                search={search}
                rows={page.rows}
                onShow={() => {
                  place.clear();
                  void query.refetch();
                }}
              />
            )}
            <CardTools compact={compact} onCompact={setCompact} onHelp={() => setHelpOpen(true)} />
          </div>
        )}
      </div>
      {page && <OfflineRowsAge query={query} />}
      <div
        className={styles.card}
        data-view={def.view}
        aria-busy={query.isFetching}
        data-refreshing={refreshing || undefined}
      >
        <div className={styles.bar} />
        {body()}
        {page && page.rows.length > 0 && (
          <Pager
            search={search}
            sizes={def.perPage}
            total={def.total(page.meta)}
            shown={page.rows.length}
            hasNext={page.next !== undefined}
            hasPrevious={page.prev !== undefined}
            compact={handheld}
            onPage={(next) => change(withPage(search, next))}
            onPerPage={(size) => change(withPerPage(search, size))}
          />
        )}
        {bulk && <BulkBar selection={selection} rows={rows} whole={whole} actions={bulk} />}
      </div>
      {panelOpen && (
        <FilterDrawer
          def={def}
          applied={search.filters}
          onSave={(filters) => change(withFilters(search, filters))}
          onReset={reset}
          onClose={() => setPanelOpen(false)}
        />
      )}
    </section>
  );
}

interface PresetsProps {
  presets: readonly Preset[];
  search: ListSearch;
  name: Translate;
  label: string;
  onOpen(preset: Preset['search']): void;
}

/** The states that a list offers by name; the one that it shows is marked. */
function Presets({ presets, search, name, label, onOpen }: PresetsProps) {
  const shown = toAddress({ ...search, page: 1 });
  return (
    <nav aria-label={label}>
      <ul className={styles.presets}>
        {presets.map((preset) => (
          <li key={preset.label}>
            <UnstyledButton
              className={styles.preset}
              aria-current={
                sameAddress(toAddress({ ...search, page: 1, ...preset.search }), shown) ? 'page' : undefined
              }
              onClick={() => onOpen(preset.search)}
            >
              {name(preset.label)}
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/**
 * What a selection of the whole list means: its condition, count and texts. Undefined where the list offers none, and without `page`, which callers
 * leave out while a text filters it.
 */
function wholeOf<Row extends { id: string }, Meta>(
  { whole, total }: ListDef<Row, Meta>,
  search: ListSearch,
  { own, list }: ListTexts,
  page: { meta: Meta } | undefined,
) {
  if (!whole || !page) return undefined;
  const count = total(page.meta);
  return {
    where: whole.where(search),
    count,
    offer: own(whole.offer, { count }),
    tooMany: count > whole.most ? list('wholeTooMany', { most: whole.most }) : undefined,
  };
}
