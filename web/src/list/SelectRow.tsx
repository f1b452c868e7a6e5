import { Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import styles from './CardList.module.css';
import { type Selection, useSelected } from './selection';

interface RowProps<Row> {
  row: Row;
  /** What the row is called. */
  name: string;
  selection: Selection<Row>;
}

/** Takes one row into the selection, or out of it. */
export function SelectRow<Row extends { id: string }>({ row, name, selection }: RowProps<Row>) {
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

/** Takes all rows of the page into the selection, or out of it. */
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
