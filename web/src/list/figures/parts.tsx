import type { Tools } from '../types';
import type { Figures } from './figures';
import styles from './parts.module.css';
import { Sparkline } from './Sparkline';

interface Props {
  /** Undefined until they are there. */
  figures: Figures | undefined;
  tools: Tools;
}

/** Views of each day as a line. */
export function Trend({ figures, tools: { t, fmt } }: Props) {
  if (!figures) return <span className={styles.waiting} />;
  const most = figures.days.reduce((max, views) => Math.max(max, views), 0);
  const said = t('list:figures.trendOf', { most: fmt.count(most) });
  const label = figures.isRunning ? `${said}. ${t('list:figures.running')}` : said;
  return <Sparkline values={figures.days} label={label} isRunning={figures.isRunning} />;
}

/** Views and visibility against the period before. */
export function Change({ figures, tools: { t, fmt } }: Props) {
  if (!figures) return <span className={styles.waiting} />;
  const { views, visibility } = figures;
  if (views === undefined) return <span title={t('list:figures.nothingBefore')}>–</span>;
  return (
    <span
      className={styles.change}
      title={t(figures.isRunning ? 'list:figures.changeOfRunning' : 'list:figures.changeOf')}
    >
      <span className={views === 0 || views === 'new' ? styles.same : styles.changed}>
        {views === 'new' ? t('list:figures.new') : fmt.change(views)}
      </span>
      {visibility !== undefined && (
        <span className={styles.points}>{t('list:figures.points', { points: fmt.points(visibility) })}</span>
      )}
    </span>
  );
}

/** In how many of the valid captures it was seen. */
export function Presence({ figures, tools: { t, fmt } }: Props) {
  if (!figures) return <span className={styles.waiting} />;
  const { seen, captures } = figures;
  const part = captures > 0 ? seen / captures : 0;
  return (
    <span
      className={styles.presence}
      title={t('list:figures.presenceOf', { seen: fmt.count(seen), captures: fmt.count(captures) })}
    >
      <span>
        {fmt.count(seen)} <span className={styles.of}>/ {fmt.count(captures)}</span>
      </span>
      <span className={styles.track} aria-hidden>
        <span className={styles.bar} style={{ width: `${Math.min(1, part) * 100}%` }} />
      </span>
    </span>
  );
}
