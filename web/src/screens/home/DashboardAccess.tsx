import { useTranslation } from 'react-i18next';
import { useOwnTitle } from '~/ui/pageTitle';
import styles from './DashboardAccess.module.css';

/** The reader's own dashboard in place of the figures: somebody else's page, fetched by the server, which runs without our origin. */
export function DashboardAccess({ url }: { url: string }) {
  const { t } = useTranslation('common');
  const title = t('title.dashboardAccess');
  useOwnTitle(title);
  return (
    <div className={styles.page}>
      <h1 className={styles.title} tabIndex={-1}>
        {title}
      </h1>
      <iframe
        className={styles.frame}
        src={url}
        title={title}
        sandbox="allow-scripts allow-forms"
        referrerPolicy="no-referrer"
      />
    </div>
  );
}
