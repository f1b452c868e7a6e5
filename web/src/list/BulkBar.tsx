import { Button } from '@mantine/core';
import { type FC, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { WholeList } from '~/lib/listSearch';
import styles from './cards.module.css';
import { type Selection, useSelected } from './selection';
import type { BulkProps } from './types';

interface BulkBarProps<Row extends { id: string }> {
  selection: Selection<Row>;
  /** The rows of the page that can be selected. */
  rows: readonly Row[];
  /** All rows of the list where a selection can mean them, and the words that offer it. */
  whole: (WholeList & { offer: string; tooMany: string | undefined }) | undefined;
  actions: FC<BulkProps<Row>>;
}

/** The number of selected rows, their bulk actions and a button that deselects them; nothing while no row is selected. */
export function BulkBar<Row extends { id: string }>({ selection, rows, whole, actions: Actions }: BulkBarProps<Row>) {
  const { t } = useTranslation('list');
  const selected = useSelected(selection);
  const isWhole = useSyncExternalStore(selection.subscribe, selection.isWhole) && whole !== undefined;
  if (selected.length === 0) return null;
  const mayBeWhole = whole && !isWhole && selected.length === rows.length && whole.count > rows.length;
  const count = isWhole ? whole.count : selected.length;
  return (
    <div className={styles.bulk} role="toolbar" aria-label={t('selected', { count })}>
      <span className={styles.bulkCount} role="status">
        {t(isWhole ? 'selectedWhole' : 'selected', { count })}
      </span>
      {mayBeWhole &&
        (whole.tooMany ? (
          <span className={styles.tooMany}>{whole.tooMany}</span>
        ) : (
          <Button size="compact-sm" variant="subtle" onClick={() => selection.selectWhole()}>
            {whole.offer}
          </Button>
        ))}
      <Actions rows={selected} {...(isWhole && { whole })} onDone={() => selection.set([])} />
      <Button size="compact-sm" variant="subtle" color="gray" onClick={() => selection.set([])}>
        {t('unselect')}
      </Button>
    </div>
  );
}
