import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { unmatchedCountQuery } from '~/api/queries/inboundMails';
import { useFormats } from '~/ui/useFormats';
import styles from './SideMenu.module.css';

/** How many received mails wait to be filed. */
export function UnmatchedCount() {
  const { t } = useTranslation('common');
  const fmt = useFormats();
  const { data = 0 } = useQuery(unmatchedCountQuery);
  if (data === 0) return null;
  return (
    <span className={styles.count}>
      <span aria-hidden>{fmt.count(data)}</span>
      <span className="visually-hidden">{t('menu.toFile', { count: data })}</span>
    </span>
  );
}
