import type { ColDef } from 'ag-grid-community';

/** Of cells and headings, on either side. */
export const CELL_PADDING = 10;

/** As DataGrid.module.css draws the words over a column. */
const FONT = "600 13px 'Inter Variable', system-ui, sans-serif";
/** The padding of a heading on both sides, and what the edges of letters need. */
const AROUND = 2 * CELL_PADDING + 3;
/** The arrow of the order. */
const ARROW = 24;

let pen: CanvasRenderingContext2D | null | undefined;

/** How wide the longest word of a text is, in px. */
function longestWord(text: string): number {
  pen ??= document.createElement('canvas').getContext('2d');
  if (!pen) return 0;
  pen.font = FONT;
  return Math.max(...text.split(/\s+/).map((word) => pen?.measureText(word).width ?? 0));
}

/** A column that is never narrower than the longest word over it: words break between lines, not inside. */
export function withRoomForHeading<Row>(column: ColDef<Row>): ColDef<Row> {
  const needed = Math.ceil(longestWord(column.headerName ?? '')) + AROUND + (column.sortable ? ARROW : 0);
  const minWidth = Math.max(column.minWidth ?? 0, needed);
  return { ...column, minWidth, ...(column.width !== undefined && { width: Math.max(column.width, minWidth) }) };
}
