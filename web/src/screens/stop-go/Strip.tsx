import { useTranslation } from 'react-i18next';
import type { Lane } from '~/api/queries/stopGo';
import { useFormats } from '~/ui/useFormats';
import styles from './StopGo.module.css';

const SHOWN = ['go', 'stopped', 'rival', 'none'] as const;
type Shown = (typeof SHOWN)[number];

const shownOf = (name: string): Shown => SHOWN.find((known) => known === name) ?? 'none';

/** Seven days of a lane in hours: a row for each day, each hour in colour, pattern and words. */
export function Strip({ hours }: { hours: Lane['strip'] }) {
  const { t } = useTranslation('stopGo');
  const fmt = useFormats();
  return (
    <section className={styles.card}>
      <h2>{t('strip')}</h2>
      <ul className={styles.strip} aria-label={t('strip')}>
        {hours.map(({ at, shown }) => {
          const text = t('stripHour', { date: fmt.minute(at), what: t(`shown.${shownOf(shown)}`) });
          return <li key={at} className={styles.hour} data-shown={shownOf(shown)} title={text} aria-label={text} />;
        })}
      </ul>
      <div className={styles.legend} aria-hidden>
        {SHOWN.map((shown) => (
          <span key={shown}>
            <i className={styles.hour} data-shown={shown} />
            {t(`shown.${shown}`)}
          </span>
        ))}
      </div>
    </section>
  );
}
