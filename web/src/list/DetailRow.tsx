import type { CustomCellRendererProps } from 'ag-grid-react';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './DataGrid.module.css';

/** A full-width row below another, which holds its ads. */
export interface Detail<Row> {
  id: string;
  of: Row;
}

export const isDetailRow = (row: unknown): row is Detail<unknown> =>
  typeof row === 'object' && row !== null && 'of' in row;

/** The rows with a detail row below the open one, if it is among them. */
export function withDetailRow<Row extends { id: string }>(
  rows: readonly Row[],
  openId: string | undefined,
): (Row | Detail<Row>)[] {
  return rows.flatMap((row) => (row.id === openId ? [row, { id: `${row.id}\nunder`, of: row }] : [row]));
}

type Props<Row> = Omit<CustomCellRendererProps<Detail<Row>>, 'context'> & {
  context: { portal(row: Row): ReactNode };
};

/** A detail row of the grid: shows the portal of the row `data.of`. Fits its height to its content, and scrolls into view when that changes. */
export function DetailRow<Row>({ data, node, api, context }: Props<Row>) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const fit = () => {
      const height = Math.ceil(element.getBoundingClientRect().height);
      if (height === 0 || node.rowHeight === height || api.isDestroyed()) return;
      node.setRowHeight(height);
      api.onRowHeightChanged();
      api.ensureNodeVisible(node);
    };
    // In the next frame: a resize observer must not trigger layout itself.
    const observer = new ResizeObserver(() => requestAnimationFrame(fit));
    observer.observe(element);
    return () => observer.disconnect();
  }, [node, api]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the rows of the grid around it are no table's
    <div ref={box} role="gridcell" tabIndex={-1} className={styles.under}>
      {data && context.portal(data.of)}
    </div>
  );
}
