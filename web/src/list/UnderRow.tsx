import type { CustomCellRendererProps } from 'ag-grid-react';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import styles from './DataGrid.module.css';

/** The place under a row, over the whole width of the table. */
export interface Under<Row> {
  id: string;
  of: Row;
}

export const isUnder = (row: unknown): row is Under<unknown> => typeof row === 'object' && row !== null && 'of' in row;

/** The rows with the place under the open one. */
export function withUnder<Row extends { id: string }>(
  rows: readonly Row[],
  openId: string | undefined,
): (Row | Under<Row>)[] {
  return rows.flatMap((row) => (row.id === openId ? [row, { id: `${row.id}\nunder`, of: row }] : [row]));
}

type Props<Row> = Omit<CustomCellRendererProps<Under<Row>>, 'context'> & {
  context: { portal(row: Row): ReactNode };
};

/** Is as high as what stands in it, and scrolls into sight. */
export function UnderRow<Row>({ data, node, api, context }: Props<Row>) {
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
    // In the next frame: the table lays itself out, which an observer must not cause.
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
