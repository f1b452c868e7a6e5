import { Button } from '@mantine/core';
import { type FC, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './cards.module.css';
import { CardFigures } from './figures/cells';
import type { FiguresByRow } from './figures/useFigures';
import type { Selection } from './selection';
import { RowCheckbox, SelectAll } from './selection';
import type { Tools } from './types';

/** Cards rendered at a time: a phone should not lay out 500 at once. */
const STEP = 60;

interface Props<Row> {
  rows: readonly Row[];
  card: FC<{ row: Row; tools: Tools }>;
  tools: Tools;
  /** Undefined when rows cannot be selected. */
  selection: Selection<Row> | undefined;
  /** Accessible name of a row. */
  nameOf(row: Row): string;
  /** Shown at the foot of the cards; undefined for lists without figures. */
  figures: FiguresByRow | undefined;
  /** The portal opened under one of the rows. */
  under: { id: string; portal: ReactNode } | undefined;
}

/**
 * The rows of a list as cards, for narrow windows: `STEP` at first, and more by a button. Reports the visible ones to `figures`, and draws
 * the portal of `under` in the card of its row.
 */
export function CardList<Row extends { id: string }>(props: Props<Row>) {
  const { rows, card: Card, tools, selection, nameOf, figures, under } = props;
  const { t } = useTranslation('list');
  const [limit, setLimit] = useState(STEP);
  const cards = useRef<HTMLUListElement>(null);
  const drawn = rows.slice(0, limit);
  const onRowsVisible = figures?.onRowsVisible;

  // biome-ignore lint/correctness/useExhaustiveDependencies: other cards are other elements to watch
  useEffect(() => {
    if (!onRowsVisible || !cards.current) return;
    const elements = [...cards.current.children];
    const observer = new IntersectionObserver((entries) => {
      const seen = entries.filter(({ isIntersecting }) => isIntersecting).map(({ target }) => elements.indexOf(target));
      if (seen.length > 0) onRowsVisible(Math.min(...seen), Math.max(...seen));
    });
    for (const element of elements) observer.observe(element);
    return () => observer.disconnect();
  }, [onRowsVisible, rows, limit]);

  return (
    <>
      {selection && <SelectAll rows={rows} selection={selection} />}
      <ul ref={cards} className={styles.cards}>
        {drawn.map((row) => (
          <li key={row.id} className={styles.card}>
            {selection && <RowCheckbox row={row} name={nameOf(row)} selection={selection} />}
            <Card row={row} tools={tools} />
            {figures && <CardFigures figures={figures.of(row.id)} tools={tools} />}
            {under?.id === row.id && under.portal}
          </li>
        ))}
      </ul>
      {rows.length > limit && (
        <Button className={styles.more} variant="default" onClick={() => setLimit(limit + STEP)}>
          {t('more', { count: rows.length - limit })}
        </Button>
      )}
    </>
  );
}
