import { Button } from '@mantine/core';
import type { FC } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './BulkBar.module.css';
import { type Selection, useSelected } from './selection';

interface Props<Row> {
  selection: Selection<Row>;
  actions: FC<{ rows: readonly Row[]; onDone(): void }>;
}

/** What can be done with the selected rows; there only while there are some. */
export function BulkBar<Row>({ selection, actions: Actions }: Props<Row>) {
  const { t } = useTranslation('list');
  const rows = useSelected(selection);
  if (rows.length === 0) return null;
  return (
    <div className={styles.bar} role="toolbar" aria-label={t('selected', { count: rows.length })}>
      <span className={styles.count}>{t('selected', { count: rows.length })}</span>
      <Actions rows={rows} onDone={() => selection.set([])} />
      <Button size="compact-sm" variant="subtle" color="gray" onClick={() => selection.set([])}>
        {t('unselect')}
      </Button>
    </div>
  );
}
