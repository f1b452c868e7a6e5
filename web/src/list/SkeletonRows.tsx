import { useTranslation } from 'react-i18next';
import styles from './SkeletonRows.module.css';

/** Rows drawn while the first ones are loaded. */
export const SKELETON_ROWS = 15;

const rows = Array.from({ length: SKELETON_ROWS }, (_, index) => `row ${index}`);

export function SkeletonRows({ cards }: { cards: boolean }) {
  const { t } = useTranslation('list');
  return (
    <div className={cards ? styles.cards : styles.rows} role="status" aria-label={t('loading')}>
      {rows.map((row) => (
        <div key={row} className={styles.row}>
          <span className={styles.narrow} />
          <span className={styles.wide} />
          <span className={styles.half} />
          <span className={styles.narrow} />
          <span className={styles.half} />
        </div>
      ))}
    </div>
  );
}
