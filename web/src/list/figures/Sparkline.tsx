import styles from './parts.module.css';

const WIDTH = 96;
const HEIGHT = 26;
const MARGIN = 2;

/** The outline of some values, from the left edge to the right; the least of the scale is zero. */
export function sparkPath(values: readonly number[]): string {
  const most = Math.max(1, ...values);
  const step = values.length > 1 ? (WIDTH - 2 * MARGIN) / (values.length - 1) : 0;
  const y = (value: number) => HEIGHT - MARGIN - (value / most) * (HEIGHT - 2 * MARGIN);
  const points = values.map((value, index) => `${(MARGIN + index * step).toFixed(1)} ${y(value).toFixed(1)}`);
  return points.length === 1 ? `M${points[0]} H${WIDTH - MARGIN}` : `M${points.join('L')}`;
}

/** One line, without axes. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  if (values.length === 0) return null;
  return (
    <svg className={styles.spark} width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <title>{label}</title>
      <path d={sparkPath(values)} />
    </svg>
  );
}
