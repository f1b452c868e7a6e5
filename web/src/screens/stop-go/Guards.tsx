import { useTranslation } from 'react-i18next';
import type { Lane } from '~/api/queries/stopGo';
import { StatusBadge } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import styles from './StopGo.module.css';

const GUARDS = ['grant', 'officials', 'observed', 'organic', 'campaigns', 'pmax', 'dry-run', 'owner'] as const;

/** What automatic stops of a lane need, each with a tick or with what is missing. */
export function Guards({ lane }: { lane: Lane }) {
  const { t } = useTranslation('stopGo');
  const fmt = useFormats();
  return (
    <section className={styles.card}>
      <h2>{t('guards')}</h2>
      <ul className={styles.guards}>
        {lane.guards.map(({ guard, passes, figure }) => {
          const known = GUARDS.find((name) => name === guard);
          if (!known) return null;
          return (
            <li key={guard}>
              <StatusBadge tone={passes ? 'good' : 'warn'}>{t(passes ? 'passes' : 'missing')}</StatusBadge>
              <span>
                {t(`guard.${known}`)}
                {figure !== null && figure !== undefined && (
                  <span className={styles.dim}> ({fmt.decimal(figure)})</span>
                )}
                {known === 'campaigns' && lane.listRefusal && <span className={styles.dim}> {lane.listRefusal}</span>}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
