import { Button, Checkbox } from '@mantine/core';
import { type FC, useEffect, useMemo, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './cards.module.css';

/** The selected rows of a list. Kept outside React, so that ticking a box re-renders the bulk bar and not the page. */
export interface Selection<Row> {
  get(): readonly Row[];
  set(rows: readonly Row[]): void;
  subscribe(changed: () => void): () => void;
}

/** Makes an empty selection. Its `set` calls every subscriber unless it was and stays empty; `subscribe` returns its undo. */
export function createSelection<Row>(): Selection<Row> {
  let selected: readonly Row[] = [];
  const listeners = new Set<() => void>();
  return {
    get: () => selected,
    set(rows) {
      if (rows.length === 0 && selected.length === 0) return;
      selected = rows;
      for (const listener of listeners) listener();
    },
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

/** The selection of a list that shows `rows`. Rows that are no longer shown are deselected: bulk actions apply to visible rows only. */
export function useSelection<Row extends { id: string }>(rows: readonly Row[]): Selection<Row> {
  const selection = useMemo(() => createSelection<Row>(), []);
  useEffect(() => {
    const inSight = new Map(rows.map((row) => [row.id, row]));
    selection.set(selection.get().flatMap(({ id }) => inSight.get(id) ?? []));
  }, [rows, selection]);
  return selection;
}

/** The selected rows; renders again when they change. */
function useSelected<Row>(selection: Selection<Row>): readonly Row[] {
  return useSyncExternalStore(selection.subscribe, selection.get);
}

interface RowProps<Row> {
  row: Row;
  /** Accessible name of the row. */
  name: string;
  selection: Selection<Row>;
}

/** The checkbox that selects or deselects one row; the selection keeps the whole row, keyed by its id. */
export function RowCheckbox<Row extends { id: string }>({ row, name, selection }: RowProps<Row>) {
  const { t } = useTranslation('list');
  const selected = useSelected(selection);
  const checked = selected.some(({ id }) => id === row.id);
  return (
    <Checkbox
      className={styles.select}
      size="md"
      aria-label={t('selectRow', { name })}
      checked={checked}
      onChange={() => selection.set(checked ? selected.filter(({ id }) => id !== row.id) : [...selected, row])}
    />
  );
}

interface AllProps<Row> {
  rows: readonly Row[];
  selection: Selection<Row>;
}

/** The checkbox that selects all `rows`, or none when as many are selected as there are; half ticked when only some are. */
export function SelectAll<Row extends { id: string }>({ rows, selection }: AllProps<Row>) {
  const { t } = useTranslation('list');
  const selected = useSelected(selection).length;
  const all = selected > 0 && selected === rows.length;
  return (
    <Checkbox
      className={styles.selectAll}
      size="md"
      label={t('grid.toggleAll')}
      checked={all}
      indeterminate={selected > 0 && !all}
      onChange={() => selection.set(all ? [] : rows)}
    />
  );
}

interface BulkBarProps<Row> {
  selection: Selection<Row>;
  actions: FC<{ rows: readonly Row[]; onDone(): void }>;
}

/** The number of selected rows, their bulk actions and a button that deselects them; nothing while no row is selected. */
export function BulkBar<Row>({ selection, actions: Actions }: BulkBarProps<Row>) {
  const { t } = useTranslation('list');
  const rows = useSelected(selection);
  if (rows.length === 0) return null;
  return (
    <div className={styles.bulk} role="toolbar" aria-label={t('selected', { count: rows.length })}>
      <span className={styles.bulkCount}>{t('selected', { count: rows.length })}</span>
      <Actions rows={rows} onDone={() => selection.set([])} />
      <Button size="compact-sm" variant="subtle" color="gray" onClick={() => selection.set([])}>
        {t('unselect')}
      </Button>
    </div>
  );
}
