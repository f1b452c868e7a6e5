import type { ColDef } from 'ag-grid-community';
import type { CustomCellRendererProps } from 'ag-grid-react';
import { type FC, useSyncExternalStore } from 'react';
import type { Tools } from '../types';
import styles from './cells.module.css';
import type { Figures } from './figures';

const WIDTHS = { trend: 116, change: 128, presence: 108 } as const;

/** Column ids; FIGURE_CELLS has their renderers. */
const FIGURE_COLUMNS = ['trend', 'change', 'presence'] as const;

/** The columns of every list with figures. */
export const figureColumns = ({ t }: Tools): ColDef[] =>
  FIGURE_COLUMNS.map((id) => ({
    colId: id,
    headerName: t(`list:figures.${id}`),
    width: WIDTHS[id],
    ...(id !== 'trend' && { type: 'rightAligned' }),
    cellRenderer: id,
  }));

const SPARK_WIDTH = 96;
const SPARK_HEIGHT = 26;
const SPARK_MARGIN = 2;

/** Values as points, from left to right; the scale starts at zero. */
function sparkPoints(values: readonly number[]): { x: string; y: string }[] {
  const most = Math.max(1, ...values);
  const step = values.length > 1 ? (SPARK_WIDTH - 2 * SPARK_MARGIN) / (values.length - 1) : 0;
  const y = (value: number) => SPARK_HEIGHT - SPARK_MARGIN - (value / most) * (SPARK_HEIGHT - 2 * SPARK_MARGIN);
  return values.map((value, index) => ({ x: (SPARK_MARGIN + index * step).toFixed(1), y: y(value).toFixed(1) }));
}

const svgPath = (points: readonly { x: string; y: string }[]): string =>
  `M${points.map(({ x, y }) => `${x} ${y}`).join('L')}`;

/** The SVG path of some values. */
function sparkPath(values: readonly number[]): string {
  const points = sparkPoints(values);
  return points.length === 1 ? `${svgPath(points)} H${SPARK_WIDTH - SPARK_MARGIN}` : svgPath(points);
}

interface SparklineProps {
  values: readonly number[];
  label: string;
  /** The last value is of an unfinished day: its segment is dashed and ends in an open circle. */
  isRunning?: boolean;
}

/** A line chart without axes, from zero; with `isRunning`, its last segment is dashed and ends in an open circle. Nothing without values. */
function Sparkline({ values, label, isRunning = false }: SparklineProps) {
  const points = sparkPoints(values);
  const last = points.at(-1);
  if (!last) return null;
  const isOpen = isRunning && points.length > 1;
  return (
    <svg className={styles.spark} width={SPARK_WIDTH} height={SPARK_HEIGHT} role="img" aria-label={label}>
      <title>{label}</title>
      <path d={isOpen ? svgPath(points.slice(0, -1)) : sparkPath(values)} />
      {isOpen && <path className={styles.running} d={svgPath(points.slice(-2))} />}
      {isRunning && (
        <circle
          className={styles.open}
          cx={points.length > 1 ? last.x : SPARK_WIDTH - SPARK_MARGIN}
          cy={last.y}
          r={2}
        />
      )}
    </svg>
  );
}

interface Props {
  /** Undefined while loading. */
  figures: Figures | undefined;
  tools: Tools;
}

/** Views per day, as a line; a placeholder while loading. */
function Trend({ figures, tools: { t, fmt } }: Props) {
  if (!figures) return <span className={styles.waiting} />;
  const most = figures.days.reduce((max, views) => Math.max(max, views), 0);
  const said = t('list:figures.trendOf', { most: fmt.count(most) });
  const label = figures.isRunning ? `${said}. ${t('list:figures.running')}` : said;
  return <Sparkline values={figures.days} label={label} isRunning={figures.isRunning} />;
}

/**
 * Change of views and visibility against the previous period: 'new' if the row had no views in that period, a dash if no row of the list had;
 * visibility only where it is known; a placeholder while loading.
 */
function Change({ figures, tools: { t, fmt } }: Props) {
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

/** How many of the captures that could have shown the row did, in numbers and as a bar; a placeholder while loading. */
function Presence({ figures, tools: { t, fmt } }: Props) {
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

const PARTS = { trend: Trend, change: Change, presence: Presence };

/** Trend, change and presence of a row, at the foot of its card; placeholders while `figures` is undefined. */
export function CardFigures({ figures, tools }: { figures: Figures | undefined; tools: Tools }) {
  return (
    <dl className={styles.figures}>
      {FIGURE_COLUMNS.map((id) => {
        const Part = PARTS[id];
        return (
          <div key={id} className={styles.figure}>
            <dt>{tools.t(`list:figures.${id}`)}</dt>
            <dd>
              <Part figures={figures} tools={tools} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

type Cell = Omit<CustomCellRendererProps<{ id: string }>, 'context'> & { context: Tools };

/** Of a list without figures, which never change. */
const NEVER = () => () => {};

/** A cell that draws itself again when its figures come. */
const cellOf = (Part: FC<{ figures: Figures | undefined; tools: Tools }>) =>
  function FigureCell({ data, context }: Cell) {
    const figures = useSyncExternalStore(
      context.figures?.subscribe ?? NEVER,
      () => data && context.figures?.of(data.id),
    );
    return data && <Part figures={figures} tools={context} />;
  };

/** Cell renderers by column id. */
export const FIGURE_CELLS = { trend: cellOf(Trend), change: cellOf(Change), presence: cellOf(Presence) };
