import type { ColDef } from 'ag-grid-community';
import type { Tools } from '../types';

const WIDTHS = { trend: 116, change: 128, presence: 108 } as const;

/** Ids of the columns that are drawn from figures; the table has what draws each. */
export const FIGURE_COLUMNS = ['trend', 'change', 'presence'] as const;

/** The columns that every list with figures has. */
export const figureColumns = ({ t }: Tools): ColDef[] =>
  FIGURE_COLUMNS.map((id) => ({
    colId: id,
    headerName: t(`list:figures.${id}`),
    width: WIDTHS[id],
    ...(id !== 'trend' && { type: 'rightAligned' }),
    cellRenderer: id,
  }));
