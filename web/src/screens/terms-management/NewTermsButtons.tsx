import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFileImport } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { settingTermsKey } from '~/api/queries/settingTerms';
import { isAdmin, useMe } from '~/api/session';
import { DeletedButton } from '~/monitoring/history/DeletedButton';
import { useDevice } from '~/ui/environment';
import { lazyPart } from '~/ui/lazyPart';
import { AddTermsButton } from './AddTermsButton';

const ImportTerms = lazyPart(() => import('./ImportTerms').then((module) => module.ImportTerms));

/** Opens the deleted terms, the import of a file of terms, and the form of new ones; for administrators. */
export function NewTermsButtons() {
  const { t } = useTranslation('settingTerms');
  const [opened, { open, close }] = useDisclosure(false);
  // With labels the tools of the list would take another line.
  const isNarrow = useDevice() !== 'desktop';
  if (!isAdmin(useMe())) return null;
  return (
    <>
      <DeletedButton model="Term" changes={[settingTermsKey]} />
      {isNarrow ? (
        <Tooltip label={t('import.open')}>
          <ActionIcon variant="default" size={36} aria-label={t('import.open')} onClick={open}>
            <IconFileImport size={16} />
          </ActionIcon>
        </Tooltip>
      ) : (
        <Button variant="default" leftSection={<IconFileImport size={16} />} onClick={open}>
          {t('import.open')}
        </Button>
      )}
      <AddTermsButton />
      {opened && <ImportTerms onClose={close} />}
    </>
  );
}
