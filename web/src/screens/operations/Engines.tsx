import { useTranslation } from 'react-i18next';
import type { Overview } from '~/api/queries/operations';
import { EngineCard } from './EngineCard';
import styles from './Operations.module.css';

/** The search engines, each with its switch. */
export function Engines({ overview }: { overview: Overview | undefined }) {
  const { t } = useTranslation('operations');
  return (
    <section className={styles.card} aria-labelledby="engines">
      <div className={styles.cardHead}>
        <h2 id="engines" className={styles.cardTitle}>
          {t('engines')}
        </h2>
      </div>
      {overview?.engines.map((engine) => (
        <EngineCard key={engine.engine} state={engine} now={new Date(overview.asOf)} />
      ))}
    </section>
  );
}
