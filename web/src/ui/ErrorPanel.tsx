import { Button } from '@mantine/core';
import { IconCloudOff, IconFilterExclamation, IconRefresh } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import styles from './panel.module.css';

/** Something failed: says so, and offers to try again. */
export function ErrorPanel({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation('common');
  return (
    <div className={styles.panel} role="alert">
      <div className={`${styles.icon} ${styles.bad}`}>
        <IconCloudOff size={26} />
      </div>
      <p className={styles.title}>{t('error.title')}</p>
      <p className={styles.text}>{t('error.text')}</p>
      <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={onRetry}>
        {t('error.retry')}
      </Button>
    </div>
  );
}

/** The question was too big: says so. */
export function TooManyPanel() {
  const { t } = useTranslation('common');
  return (
    <div className={styles.panel} role="alert">
      <div className={`${styles.icon} ${styles.warn}`}>
        <IconFilterExclamation size={26} />
      </div>
      <p className={styles.title}>{t('generic.tooMany')}</p>
    </div>
  );
}
