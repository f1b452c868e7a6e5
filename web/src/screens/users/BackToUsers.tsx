import { IconChevronLeft } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import styles from './users.module.css';

export function BackToUsers() {
  const { t } = useTranslation('users');
  return (
    <Link to="/users" className={styles.back}>
      <IconChevronLeft size={16} aria-hidden />
      {t('form.back')}
    </Link>
  );
}
