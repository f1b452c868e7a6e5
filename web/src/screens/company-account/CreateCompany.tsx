import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { createCompany } from '~/api/queries/companies';
import { CompanyModal } from './CompanyModal';

/** Makes a company account. */
export function CreateCompany() {
  const { t } = useTranslation('companies');
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconPlus size={16} />} onClick={open}>
        {t('create')}
      </Button>
      {opened && (
        <CompanyModal
          title={t('createTitle')}
          submitLabel={t('create')}
          saved={t('created')}
          name=""
          save={createCompany}
          onClose={close}
        />
      )}
    </>
  );
}
