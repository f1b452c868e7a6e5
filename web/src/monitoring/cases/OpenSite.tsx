import { IconExternalLink } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import styles from './cases.module.css';

/** A link to the site of a domain, in a new tab. */
export function OpenSite({ domain }: { domain: string }) {
  const { t } = useTranslation('actions');
  return (
    <a
      className={styles.tool}
      href={`https://${domain}`}
      target="_blank"
      rel="noopener noreferrer nofollow"
      aria-label={t('card.openSite', { domain })}
    >
      <IconExternalLink size={15} aria-hidden />
    </a>
  );
}
