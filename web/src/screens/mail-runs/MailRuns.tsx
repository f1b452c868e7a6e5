import { useTranslation } from 'react-i18next';
import { Outreach } from '~/monitoring/runs/Outreach';
import styles from './MailRuns.module.css';

/** What Vigie writes and blocks by itself today, and the stops of mails, for operators and administrators. */
export function MailRuns() {
  const { t } = useTranslation('operations');
  const common = useTranslation('common').t;
  return (
    <div className={styles.page}>
      <h1 className={styles.title} tabIndex={-1}>
        {common('title.mailRuns')}
      </h1>
      <p className={styles.intro}>{t('outreach.intro')}</p>
      <section className={styles.card} aria-label={common('title.mailRuns')}>
        <Outreach />
      </section>
    </div>
  );
}
