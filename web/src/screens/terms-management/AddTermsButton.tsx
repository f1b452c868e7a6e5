import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { isAdmin, useMe } from '~/api/session';
import { lazyPart } from '~/ui/lazyPart';

const AddTerms = lazyPart(() => import('./AddTerms').then((module) => module.AddTerms));

/** The button that opens the form of new terms. Renders nothing unless the user is an administrator. */
export function AddTermsButton() {
  const { t } = useTranslation('settingTerms');
  const [opened, { open, close }] = useDisclosure(false);
  if (!isAdmin(useMe())) return null;
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        {t('add')}
      </Button>
      {opened && <AddTerms onClose={close} />}
    </>
  );
}
