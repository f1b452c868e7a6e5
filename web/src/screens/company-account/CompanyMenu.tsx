import { Menu } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CompanyRow, companiesKey, deleteCompany, updateCompany } from '~/api/queries/companies';
import { RowMenu } from '~/ui/buttons';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { CompanyModal } from './CompanyModal';

/** What can be done with a company account. */
export function CompanyMenu({ row }: { row: CompanyRow }) {
  const { t } = useTranslation('companies');
  const [open, setOpen] = useState<'update' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <RowMenu label={t('menu', { name: row.name })}>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpen('update')}>
          {t('update')}
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={16} />} c="var(--bad)" onClick={() => setOpen('delete')}>
          {t('delete')}
        </Menu.Item>
      </RowMenu>
      {open === 'update' && (
        <CompanyModal
          title={t('updateTitle', { name: row.name })}
          submitLabel={t('update')}
          saved={t('updated')}
          name={row.name}
          save={(form) => updateCompany(row.id, form)}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <ConfirmModal
          danger
          title={t('deleteTitle', { name: row.name })}
          text={t('confirm.text')}
          confirm={t('confirm.button')}
          act={() => deleteCompany(row.id)}
          done={t('deleted')}
          changes={companiesKey}
          onClose={close}
        />
      )}
    </>
  );
}
