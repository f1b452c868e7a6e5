import { Checkbox } from '@mantine/core';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { ListSearch } from '~/lib/listSearch';
import styles from './cards.module.css';

/** The selected rows of a list. Kept outside React, so that ticking a box re-renders the bulk bar and not the page. */
export interface Selection<Row> {
  get(): readonly Row[];
  set(rows: readonly Row[]): void;
  /** Whether all rows of the list are meant, on every page. Ends with any other choice of rows. */
  isWhole(): boolean;
  selectWhole(): void;
  subscribe(changed: () => void): () => void;
}

function sameRows(one: readonly { id: string }[], other: readonly { id: string }[]): boolean {
  const ids = new Set(other.map(({ id }) => id));
  return one.length === ids.size && one.every(({ id }) => ids.has(id));
}

/** Makes an empty selection. Its `set` calls every subscriber unless it was and stays empty; `subscribe` returns its undo. */
export function createSelection<Row extends { id: string }>(): Selection<Row> {
  let selected: readonly Row[] = [];
  let whole = false;
  const listeners = new Set<() => void>();
  const report = () => {
    for (const listener of listeners) listener();
  };
  return {
    get: () => selected,
    set(rows) {
      if (rows.length === 0 && selected.length === 0) return;
      // The same rows may only have been loaded again.
      whole = whole && sameRows(rows, selected);
      selected = rows;
      report();
    },
    isWhole: () => whole,
    selectWhole() {
      whole = true;
      report();
    },
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

/**
 * The selection of a list that shows `rows` under a search. Rows that are no longer shown are deselected, and after another search it no longer
 * means the whole list.
 */
export function useSelection<Row extends { id: string }>(rows: readonly Row[], search: ListSearch): Selection<Row> {
  const selection = useMemo(() => createSelection<Row>(), []);
  useEffect(() => {
    const inSight = new Map(rows.map((row) => [row.id, row]));
    selection.set(selection.get().flatMap(({ id }) => inSight.get(id) ?? []));
  }, [rows, selection]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search is another list
  useEffect(() => {
    if (selection.isWhole()) selection.set([]);
  }, [search, selection]);
  return selection;
}

/** The selected rows; renders again when they change. */
export function useSelected<Row>(selection: Selection<Row>): readonly Row[] {
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
  /** Leaves the label to screen readers. */
  bare?: boolean;
}

/** The checkbox that selects all `rows`, or none when as many are selected as there are; half ticked when only some are. */
export function SelectAll<Row extends { id: string }>({ rows, selection, bare = false }: AllProps<Row>) {
  const { t } = useTranslation('list');
  const selected = useSelected(selection).length;
  const all = selected > 0 && selected === rows.length;
  return (
    <Checkbox
      className={bare ? undefined : styles.selectAll}
      size={bare ? 'sm' : 'md'}
      {...(bare ? { 'aria-label': t('grid.toggleAll') } : { label: t('grid.toggleAll') })}
      checked={all}
      indeterminate={selected > 0 && !all}
      onChange={() => selection.set(all ? [] : rows)}
    />
  );
}
