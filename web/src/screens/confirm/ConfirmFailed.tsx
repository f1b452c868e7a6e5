import { Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import styles from '~/ui/authForm.module.css';

/** Shown for a confirmation link that is used, replaced or incomplete. */
export function ConfirmFailed() {
  const { t } = useTranslation('password');
  return (
    <>
      <h1 className={styles.title} tabIndex={-1}>
        {t('confirmFailed.title')}
      </h1>
      <Text c="dimmed" mb="lg">
        {t('confirmFailed.text')}
      </Text>
      <Button component={Link} to="/login" size="md" fullWidth>
        {t('confirmFailed.login')}
      </Button>
    </>
  );
}
