import { Button } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { fullName, restore, useMe } from '~/api/session';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './Header.module.css';

/** A strip that names the impersonated user, with a button that ends the impersonation; a failure raises a toast. */
export function WorkingAs() {
  const { t } = useTranslation('common');
  const me = useMe();
  const back = useMutation({ mutationFn: restore, onError: (error) => toast.error(errorText(error, t)) });
  const company = me.companyAccount?.label ?? me.companyAccount?.name;
  const name = fullName(me);
  return (
    <div className={styles.strip} role="status">
      <span>{company ? t('header.workingAsOf', { name, company }) : t('header.workingAs', { name })}</span>
      <Button
        size="compact-sm"
        variant="filled"
        leftSection={<IconArrowBackUp size={16} />}
        loading={back.isPending}
        onClick={() => back.mutate()}
      >
        {t('header.backToMyProfile')}
      </Button>
    </div>
  );
}
