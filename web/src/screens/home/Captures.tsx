import { IconCamera } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { capturesQuery } from '~/api/queries/home';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { Live } from '~/ui/indicators';
import { CaptureRow } from './CaptureRow';
import styles from './Captures.module.css';
import panel from './Home.module.css';

/** The last captures, as they end. */
export function Captures() {
  const { t } = useTranslation('home');
  const { data, isError, refetch, dataUpdatedAt } = useQuery(capturesQuery);
  const now = new Date(dataUpdatedAt);
  return (
    <section className={panel.card} aria-labelledby="last-captures">
      <header className={panel.cardHead}>
        <h2 id="last-captures" className={panel.cardTitle}>
          {t('captures.title')}
        </h2>
        {!isError && <Live label={t('captures.live')} />}
      </header>
      {isError && !data && <ErrorPanel onRetry={() => refetch()} />}
      {data?.data.length === 0 && <EmptyState icon={<IconCamera size={26} />} title={t('captures.empty')} />}
      {data && data.data.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
        <section className={styles.scroll} aria-labelledby="last-captures" tabIndex={0}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{t('captures.when')}</th>
                <th scope="col">{t('captures.term')}</th>
                <th scope="col">{t('captures.place')}</th>
                <th scope="col">{t('captures.state')}</th>
                <th scope="col" className={styles.number}>
                  {t('captures.text')}
                </th>
                <th scope="col" className={styles.number}>
                  {t('captures.shopping')}
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((capture) => (
                <CaptureRow key={`${capture.requestID}:${capture.createdDate}`} capture={capture} now={now} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}
