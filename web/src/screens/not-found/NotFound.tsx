import { Button } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import styles from './NotFound.module.css';

/** The page for an unknown address (404), with a link home. */
export function NotFound() {
  const { t } = useTranslation('common');
  return (
    <div className={styles.panel}>
      <span className={styles.icon}>
        <IconMapQuestion size={34} />
      </span>
      <p className={styles.code}>404</p>
      <h1 className={styles.title} tabIndex={-1}>
        {t('notFound.text')}
      </h1>
      <Button component={Link} to="/">
        {t('notFound.home')}
      </Button>
    </div>
  );
}
