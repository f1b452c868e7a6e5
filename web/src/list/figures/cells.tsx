import type { CustomCellRendererProps } from 'ag-grid-react';
import type { Tools } from '../types';
import styles from './cells.module.css';
import type { Figures } from './figures';
import { Sparkline } from './Sparkline';

type Cell = Omit<CustomCellRendererProps<{ id: string }>, 'context'> & { context: Tools };

const figuresOf = ({ data, context }: Cell): Figures | undefined => data && context.figures?.of(data.id);

const TrendCell = (cell: Cell) => {
  const figures = figuresOf(cell);
  if (!figures) return <span className={styles.waiting} />;
  const { t, fmt } = cell.context;
  const most = figures.days.reduce((max, views) => Math.max(max, views), 0);
  return <Sparkline values={figures.days} label={t('list:figures.trendOf', { most: fmt.count(most) })} />;
};

const tone = (change: number | undefined) => (change === undefined || change === 0 ? styles.same : styles.changed);

const ChangeCell = (cell: Cell) => {
  const figures = figuresOf(cell);
  if (!figures) return <span className={styles.waiting} />;
  const { t, fmt } = cell.context;
  return (
    <span className={styles.change} title={t('list:figures.changeOf')}>
      <span className={tone(figures.views)}>
        {figures.views === undefined ? t('list:figures.new') : fmt.change(figures.views)}
      </span>
      {figures.visibility !== undefined && (
        <span className={styles.points}>{t('list:figures.points', { points: fmt.points(figures.visibility) })}</span>
      )}
    </span>
  );
};

const PresenceCell = (cell: Cell) => {
  const figures = figuresOf(cell);
  if (!figures) return <span className={styles.waiting} />;
  const { t, fmt } = cell.context;
  const { seen, captures } = figures;
  const part = captures > 0 ? seen / captures : 0;
  return (
    <span
      className={styles.presence}
      title={t('list:figures.presenceOf', { seen: fmt.count(seen), captures: fmt.count(captures) })}
    >
      <span className={styles.part}>
        {fmt.count(seen)} <span className={styles.of}>/ {fmt.count(captures)}</span>
      </span>
      <span className={styles.track} aria-hidden>
        <span className={styles.bar} style={{ width: `${Math.min(1, part) * 100}%` }} />
      </span>
    </span>
  );
};

/** What draws the columns of figures, by their ids. */
export const FIGURE_CELLS = { trend: TrendCell, change: ChangeCell, presence: PresenceCell };
