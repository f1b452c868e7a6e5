import { Button } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

/** Leads to the form of a new user. */
export function CreateUserLink() {
  const { t } = useTranslation('users');
  return (
    <Button component={Link} to="/users/create" leftSection={<IconUserPlus size={16} />}>
      {t('create')}
    </Button>
  );
}
