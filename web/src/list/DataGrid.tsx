import {
  CellStyleModule,
  ClientSideRowModelApiModule,
  ClientSideRowModelModule,
  type ColDef,
  ColumnApiModule,
  ColumnAutoSizeModule,
  EventApiModule,
  type GridApi,
  type IRowNode,
  LocaleModule,
  ModuleRegistry,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  type RowSelectionOptions,
  ScrollApiModule,
  type SelectionColumnDef,
  themeQuartz,
} from 'ag-grid-community';
import { AgGridReact } from 'ag-grid-react';
import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import type { ListSearch } from '~/lib/listSearch';
import type { ColumnChoice } from './columns';
import styles from './DataGrid.module.css';
import { type Detail, DetailRow, isDetailRow, withDetailRow } from './DetailRow';
import { FIGURE_CELLS } from './figures/cells';
import type { FiguresByRow } from './figures/useFigures';
import type { Selection } from './selection';
import type { ListDef, Tools } from './types';

ModuleRegistry.registerModules([
  CellStyleModule,
  ClientSideRowModelApiModule,
  ClientSideRowModelModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  EventApiModule,
  LocaleModule,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  ScrollApiModule,
]);

/** Of cells and headings, on either side, in px. */
const CELL_PADDING = 10;

/** One theme serves both colour schemes: every colour is a variable of tokens.css. */
const theme = themeQuartz.withParams({
  accentColor: 'var(--mantine-primary-color-filled)',
  backgroundColor: 'var(--card)',
  foregroundColor: 'var(--ink)',
  borderColor: 'var(--line)',
  chromeBackgroundColor: 'var(--card)',
  headerBackgroundColor: 'var(--card)',
  headerTextColor: 'var(--dim)',
  headerFontWeight: 600,
  headerHeight: 44,
  rowHeight: 44,
  cellHorizontalPadding: CELL_PADDING,
  rowHoverColor: 'var(--row-hover)',
  selectedRowBackgroundColor: 'var(--row-selected)',
  fontFamily: 'inherit',
  fontSize: 14,
  wrapperBorder: false,
  wrapperBorderRadius: 0,
  checkboxBorderRadius: 4,
  checkboxUncheckedBorderColor: 'var(--line-strong)',
});

const ROW_SELECTION: RowSelectionOptions = {
  mode: 'multiRow',
  headerCheckbox: true,
  enableClickSelection: false,
  isRowSelectable: ({ data }) => !isDetailRow(data),
};
const SELECTION_COLUMN: SelectionColumnDef = { pinned: 'left', width: 40, suppressHeaderMenuButton: true };

/** The server sorts: the grid only shows the arrow. */
const DEFAULT_COLUMN: ColDef = {
  resizable: true,
  sortable: false,
  // Column definitions render every cell, so there is nothing to infer.
  cellDataType: false,
  comparator: () => 0,
  sortingOrder: ['asc', 'desc'],
  minWidth: 56,
  suppressHeaderMenuButton: true,
  wrapHeaderText: true,
};

interface Props<Row extends { id: string }, Meta> {
  def: ListDef<Row, Meta>;
  rows: Row[];
  search: ListSearch;
  choice: ColumnChoice;
  selection: Selection<Row>;
  /** Whether rows have a box to select them. */
  selectable: boolean;
  tools: Tools;
  /** The row whose portal is open. */
  openId: string | undefined;
  figures: FiguresByRow;
  portal(row: Row): ReactNode;
  onSort(order: string): void;
}

/**
 * One page of a list as a table, with the portal of the row `openId` below that row. The grid sorts nothing itself: it reports clicks
 * on headings to `onSort`, moved and resized columns to `choice`, selected rows to `selection` and visible rows to `figures`.
 */
export function DataGrid<Row extends { id: string }, Meta>(props: Props<Row, Meta>) {
  const { def, rows, search, choice, selection, selectable, tools, openId, figures, portal, onSort } = props;
  const { t } = useTranslation('list');
  const grid = useRef<GridApi<Row | Detail<Row>> | null>(null);
  const table = useRef<HTMLDivElement>(null);
  useEffect(() => (table.current ? ignoreScrollEchoes(table.current) : undefined), []);

  const shown = useMemo(() => withDetailRow(rows, openId), [rows, openId]);
  const context = useMemo(() => ({ ...tools, portal }), [tools, portal]);

  const columns = useMemo(() => {
    const drawn = (column: ColDef) =>
      withRoomForHeading({ ...column, sortable: def.sorts.includes(column.colId ?? '') });
    return choice.colDefs.map(drawn);
  }, [choice.colDefs, def.sorts]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: cells read the names of countries that have come since
  useEffect(() => grid.current?.refreshCells({ force: true }), [tools.fmt]);

  const showSort = useCallback(() => {
    const sort = search.direction === 'ASC' ? ('asc' as const) : ('desc' as const);
    grid.current?.applyColumnState({ state: [{ colId: search.order, sort }], defaultState: { sort: null } });
  }, [search.order, search.direction]);
  useEffect(showSort, [showSort]);

  useEffect(
    () =>
      selection.subscribe(() => {
        if (selection.get().length === 0) grid.current?.deselectAll();
      }),
    [selection],
  );

  const localeText = useMemo(
    () => ({
      ariaRowToggleSelection: t('grid.toggleRow'),
      ariaRowSelectAll: t('grid.toggleAll'),
      ariaHeaderSelection: t('grid.toggleAll'),
      ariaChecked: t('grid.checked'),
      ariaUnchecked: t('grid.unchecked'),
      ariaIndeterminate: t('grid.indeterminate'),
      ariaColumn: t('grid.column'),
      ariaSortableColumn: t('grid.sortable'),
    }),
    [t],
  );

  const arrange = () => {
    const state = grid.current
      ?.getColumnState()
      .filter(({ colId }) => columns.some((column) => column.colId === colId));
    if (!state) return;
    const sized = state.filter(({ flex }) => !flex);
    choice.arrange({
      order: state.map(({ colId }) => colId),
      widths: Object.fromEntries(sized.flatMap(({ colId, width }) => (width ? [[colId, width]] : []))),
    });
  };

  return (
    <div ref={table} className={styles.grid}>
      <AgGridReact<Row | Detail<Row>>
        // Remounts in another language: the grid reads its locale texts once.
        key={tools.fmt.count(1_000)}
        theme={theme}
        columnDefs={columns}
        defaultColDef={DEFAULT_COLUMN}
        rowData={shown}
        getRowId={({ data }) => data.id}
        context={context}
        components={FIGURE_CELLS}
        isFullWidthRow={({ rowNode }) => isDetailRow(rowNode.data)}
        fullWidthCellRenderer={DetailRow}
        localeText={localeText}
        {...(selectable && { rowSelection: ROW_SELECTION })}
        selectionColumnDef={SELECTION_COLUMN}
        ensureDomOrder
        animateRows={false}
        suppressDragLeaveHidesColumns
        suppressColumnVirtualisation
        suppressMultiSort
        suppressCellFocus={false}
        onGridReady={({ api }) => {
          grid.current = api;
          showSort();
        }}
        onGridPreDestroyed={() => {
          grid.current = null;
        }}
        onFirstDataRendered={({ api }) => {
          // Restores the selection made on cards, or before a remount.
          const selected = new Set(selection.get().map(({ id }) => id));
          const nodes: IRowNode[] = [];
          api.forEachNode((node) => node.id !== undefined && selected.has(node.id) && nodes.push(node));
          api.setNodesSelected({ nodes, newValue: true });
        }}
        onSortChanged={({ source, columns: changed }) => {
          const order = changed?.find((column) => column.getSort())?.getColId();
          if (source === 'uiColumnSorted' && order) onSort(order);
        }}
        onColumnResized={({ finished, source }) => {
          if (finished && source === 'uiColumnResized') arrange();
        }}
        onColumnMoved={({ finished, source }) => {
          if (finished && source === 'uiColumnMoved') arrange();
        }}
        onCellKeyDown={({ event, data }) => {
          const onCell = event?.target instanceof Element && event.target.role === 'gridcell';
          if (onCell && event instanceof KeyboardEvent && event.key === 'Enter' && data) tools.showAds?.(data);
        }}
        onViewportChanged={({ firstRow, lastRow }) => figures.onRowsVisible(firstRow, lastRow)}
        onSelectionChanged={({ api }) =>
          selection.set(api.getSelectedRows().filter((row): row is Row => !isDetailRow(row)))
        }
      />
    </div>
  );
}

/** The font of headings in DataGrid.module.css. */
const FONT = "600 13px 'Inter Variable', system-ui, sans-serif";
/** Padding on both sides, and room for glyphs that overhang. */
const HEADING_PADDING = 2 * CELL_PADDING + 3;
/** The width of the sort arrow. */
const ARROW_WIDTH = 24;

let canvas: CanvasRenderingContext2D | null | undefined;

/** The width of the longest word, in px. */
function longestWord(text: string): number {
  canvas ??= document.createElement('canvas').getContext('2d');
  if (!canvas) return 0;
  canvas.font = FONT;
  return Math.max(...text.split(/\s+/).map((word) => canvas?.measureText(word).width ?? 0));
}

/** Makes a column at least as wide as the longest word of its heading, so that headings wrap between words only. */
function withRoomForHeading<Row>(column: ColDef<Row>): ColDef<Row> {
  const needed =
    Math.ceil(longestWord(column.headerName ?? '')) + HEADING_PADDING + (column.sortable ? ARROW_WIDTH : 0);
  const minWidth = Math.max(column.minWidth ?? 0, needed);
  return { ...column, minWidth, ...(column.width !== undefined && { width: Math.max(column.width, minWidth) }) };
}

const BAR = '.ag-body-vertical-scroll-viewport';

/**
 * Drops scroll events of the grid's fake scrollbar unless the pointer is on it, until the returned function is called. The grid moves that
 * bar itself, and under load takes the late event for the reader's own scroll and jumps back.
 */
function ignoreScrollEchoes(table: HTMLElement): () => void {
  let held = false;
  const hold = ({ target }: Event) => {
    held = target instanceof Element && target.closest(BAR) !== null;
  };
  const release = () => {
    held = false;
  };
  const scrolled = (event: Event) => {
    const bar = event.target instanceof Element && event.target.matches(BAR) ? event.target : undefined;
    if (bar && !held && !bar.matches(':hover')) event.stopPropagation();
  };
  table.addEventListener('pointerdown', hold, true);
  window.addEventListener('pointerup', release, true);
  window.addEventListener('pointercancel', release, true);
  table.addEventListener('scroll', scrolled, true);
  return () => {
    table.removeEventListener('pointerdown', hold, true);
    window.removeEventListener('pointerup', release, true);
    window.removeEventListener('pointercancel', release, true);
    table.removeEventListener('scroll', scrolled, true);
  };
}
