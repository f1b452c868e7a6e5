import styles from './parts.module.css';

const WIDTH = 96;
const HEIGHT = 26;
const MARGIN = 2;

/** Where values stand, from the left edge to the right; the least of the scale is zero. */
function pointsOf(values: readonly number[]): { x: string; y: string }[] {
  const most = Math.max(1, ...values);
  const step = values.length > 1 ? (WIDTH - 2 * MARGIN) / (values.length - 1) : 0;
  const y = (value: number) => HEIGHT - MARGIN - (value / most) * (HEIGHT - 2 * MARGIN);
  return values.map((value, index) => ({ x: (MARGIN + index * step).toFixed(1), y: y(value).toFixed(1) }));
}

const path = (points: readonly { x: string; y: string }[]): string =>
  `M${points.map(({ x, y }) => `${x} ${y}`).join('L')}`;

/** The outline of some values. */
export function sparkPath(values: readonly number[]): string {
  const points = pointsOf(values);
  return points.length === 1 ? `${path(points)} H${WIDTH - MARGIN}` : path(points);
}

interface Props {
  values: readonly number[];
  label: string;
  /** Whether the last value is of a day that is not over: the way to it is dashed, and its end is an open circle. */
  isRunning?: boolean;
}

/** One line, without axes. */
export function Sparkline({ values, label, isRunning = false }: Props) {
  const points = pointsOf(values);
  const last = points.at(-1);
  if (!last) return null;
  const isOpen = isRunning && points.length > 1;
  return (
    <svg className={styles.spark} width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <title>{label}</title>
      <path d={isOpen ? path(points.slice(0, -1)) : sparkPath(values)} />
      {isOpen && <path className={styles.running} d={path(points.slice(-2))} />}
      {isRunning && (
        <circle className={styles.open} cx={points.length > 1 ? last.x : WIDTH - MARGIN} cy={last.y} r={2} />
      )}
    </svg>
  );
}
