import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isAdmin, useMe } from '~/api/session';
import { asLanguage } from '~/i18n/language';
import { FIRST_PAGE } from '~/lib/listSearch';
import { toAddress } from '~/list/address';
import { lazyPart } from '~/ui/lazyPart';

const AddTerms = lazyPart(() => import('./AddTerms').then((module) => module.AddTerms));

/** Opens the form of new terms, and shows those that were created; for administrators. */
export function AddTermsButton() {
  const { t } = useTranslation('settingTerms');
  const [opened, { open, close }] = useDisclosure(false);
  const showCreated = useShowCreated();
  if (!isAdmin(useMe())) return null;
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        {t('add')}
      </Button>
      {opened && <AddTerms onCreated={showCreated} onClose={close} />}
    </>
  );
}

/** Shows the terms created last, all on one page. */
function useShowCreated() {
  const navigate = useNavigate();
  return (created: number) => {
    const newest = { page: FIRST_PAGE, perPage: created, order: 'id', direction: 'DESC', filters: {} } as const;
    void navigate({ to: '/terms-management', search: ({ lng }) => ({ lng: asLanguage(lng), ...toAddress(newest) }) });
  };
}
