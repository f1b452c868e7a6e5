import { IconNotebook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { actsQuery } from '~/api/queries/operations';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { useFormats } from '~/ui/useFormats';
import styles from './Operations.module.css';

/** The last 50 actions of administrators on the operations page (captures retried or discarded, engines paused or resumed), newest first; polled. */
export function ActivityLog() {
  const { t } = useTranslation(['operations', 'market']);
  const fmt = useFormats();
  const { data, isError, refetch } = useQuery(actsQuery);
  if (isError && !data) return <ErrorPanel onRetry={() => refetch()} />;
  if (data?.data.length === 0) return <EmptyState icon={<IconNotebook size={26} />} title={t('acts.none')} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className={styles.scroll} aria-label={t('tab.acts')} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('acts.when')}</th>
            <th scope="col">{t('acts.who')}</th>
            <th scope="col">{t('acts.what')}</th>
            <th scope="col">{t('acts.on')}</th>
            <th scope="col">{t('acts.note')}</th>
          </tr>
        </thead>
        <tbody>
          {data?.data.map((entry) => (
            <tr key={entry.id}>
              <td className={styles.dim}>{fmt.dateTime(entry.date)}</td>
              <td className={styles.lead}>{entry.by}</td>
              <td>{t(`acts.act.${entry.act}`, { defaultValue: entry.act })}</td>
              <td>
                {entry.requestID ? (
                  <Link to="/operations" search={{ tab: 'reviews', capture: entry.requestID }} className={styles.link}>
                    {entry.term || entry.requestID}
                  </Link>
                ) : (
                  t(`market:engine.${entry.engine}`, { defaultValue: entry.engine })
                )}
              </td>
              <td>{entry.note}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
