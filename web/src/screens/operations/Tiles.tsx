import { useTranslation } from 'react-i18next';
import type { Overview } from '~/api/queries/operations';
import { useFormats } from '~/ui/useFormats';
import styles from './Tiles.module.css';

/** The server counts no further. */
const MANY = 1_000;

/** What waits, what goes on, what was done, and what needs somebody. */
export function Tiles({ overview }: { overview: Overview | undefined }) {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const { queue, open } = overview ?? {};
  const hours = overview?.engines.map(({ lastHour }) => lastHour) ?? [];
  const sum = (of: (hour: (typeof hours)[number]) => number) => hours.reduce((total, hour) => total + of(hour), 0);
  const captured = sum(({ results, doubtful }) => results + doubtful);
  const failed = sum((hour) => hour.failed);
  const look = open && open.doubtful + open.quarantined + open.failed;
  const capped = open && Math.max(open.doubtful, open.quarantined, open.failed) >= MANY;
  const tiles = [
    {
      label: t('tile.waiting'),
      value: queue && fmt.count(queue.waiting),
      note: queue && (queue.waiting > 0 ? t('oldest', { span: fmt.span(queue.oldestWaitSeconds) }) : t('nothingWaits')),
    },
    { label: t('tile.underWay'), value: queue && fmt.count(queue.underWay) },
    { label: t('tile.later'), value: queue && fmt.count(queue.later) },
    {
      label: t('tile.hour'),
      value: overview && fmt.count(captured),
      note:
        captured + failed > 0 ? t('failedShare', { share: fmt.visibility((100 * failed) / (captured + failed)) }) : '',
      bad: failed > captured,
    },
    {
      label: t('tile.look'),
      value: look === undefined ? undefined : capped ? t('many') : fmt.count(look),
      bad: (look ?? 0) > 0,
    },
  ];
  return (
    <ul className={styles.tiles}>
      {tiles.map(({ label, value, note, bad }) => (
        <li key={label} className={styles.tile}>
          <span className={styles.label}>{label}</span>
          {value === undefined ? (
            <span className={styles.pending} />
          ) : (
            <strong className={styles.value} data-bad={bad || undefined}>
              {value}
            </strong>
          )}
          {note && <span className={styles.note}>{note}</span>}
        </li>
      ))}
    </ul>
  );
}
