import { Button } from '@mantine/core';
import { type FC, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './CardList.module.css';
import type { Tools } from './types';

/** Cards drawn before 'more' is asked for: a phone should not lay out 500 of them at once. */
const STEP = 60;

interface Props<Row> {
  rows: readonly Row[];
  card: FC<{ row: Row; tools: Tools }>;
  tools: Tools;
  /** What stands under one of the rows. */
  under: { id: string; portal: ReactNode } | undefined;
}

/** The rows of a list as cards, for narrow windows. */
export function CardList<Row extends { id: string }>({ rows, card: Card, tools, under }: Props<Row>) {
  const { t } = useTranslation('list');
  const [limit, setLimit] = useState(STEP);
  return (
    <ul className={styles.cards}>
      {rows.slice(0, limit).map((row) => (
        <li key={row.id} className={styles.card}>
          <Card row={row} tools={tools} />
          {under?.id === row.id && under.portal}
        </li>
      ))}
      {rows.length > limit && (
        <li>
          <Button fullWidth variant="default" onClick={() => setLimit(limit + STEP)}>
            {t('more', { count: rows.length - limit })}
          </Button>
        </li>
      )}
    </ul>
  );
}
