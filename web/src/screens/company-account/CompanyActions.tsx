import { Button, Menu, NumberInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconKey, IconPencil, IconPlus, IconRoute, IconTrash } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { captureUseKey } from '~/api/queries/captureUse';
import {
  type CompanyForm,
  type CompanyRow,
  companiesKey,
  createCompany,
  deleteCompany,
  updateCompany,
} from '~/api/queries/companies';
import { RowMenu } from '~/ui/buttons';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { FormModal, ModalFrame } from '~/ui/form/FormModal';
import { useSavedForm } from '~/ui/form/useSavedForm';
import { lazyPart } from '~/ui/lazyPart';
import { toast } from '~/ui/toast';
import { OPTIONS_KEY } from '~/ui/useFoundOptions';

const ApiKeys = lazyPart(() => import('~/ui/apiKeys/ApiKeys').then((module) => module.ApiKeys), {
  texts: ['apiKeys'],
});

/** The server's limit. */
const MAX_NAME_LENGTH = 255;
/** The server's limits of a quota. */
const QUOTA = { min: 0, max: 100_000_000 } as const;

const isWithin = (value: number): boolean => Number.isInteger(value) && value >= QUOTA.min && value <= QUOTA.max;

/** The button that opens the form for a new company account, in a modal. Checks no rights: render it only for users who may create them. */
export function CreateCompanyButton() {
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
          savedText={t('created')}
          stored={{ name: '', captureQuota: '' }}
          save={createCompany}
          onClose={close}
        />
      )}
    </>
  );
}

/** The menu of a row: renames the company account in a form, shows its API keys, or deletes it after a confirmation. */
export function CompanyMenu({ row }: { row: CompanyRow }) {
  const { t } = useTranslation('companies');
  const common = useTranslation('common').t;
  const [open, setOpen] = useState<'update' | 'keys' | 'delete' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <RowMenu label={t('menu', { name: row.name })}>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setOpen('update')}>
          {t('update')}
        </Menu.Item>
        <Menu.Item leftSection={<IconKey size={16} />} onClick={() => setOpen('keys')}>
          {t('keys')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconRoute size={16} />}
          renderRoot={(props) => <Link to="/start" search={{ company: Number(row.id) }} {...props} />}
        >
          {common('title.start')}
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={16} />} c="var(--bad)" onClick={() => setOpen('delete')}>
          {t('delete')}
        </Menu.Item>
      </RowMenu>
      {open === 'update' && (
        <CompanyModal
          title={t('updateTitle', { name: row.name })}
          submitLabel={t('update')}
          savedText={t('updated')}
          stored={{ name: row.name, captureQuota: row.quota ?? '' }}
          save={(form) => updateCompany(row.id, form)}
          onClose={close}
        />
      )}
      {open === 'keys' && (
        <ModalFrame title={t('keysTitle', { name: row.name })} size="lg" onClose={close}>
          <ApiKeys company={{ id: Number(row.id), name: row.name }} />
        </ModalFrame>
      )}
      {open === 'delete' && (
        <ConfirmModal
          danger
          title={t('deleteTitle', { name: row.name })}
          text={t('confirm.text')}
          confirm={t('confirm.button')}
          act={() => deleteCompany(row.id)}
          done={t('deleted')}
          changes={[companiesKey, OPTIONS_KEY]}
          onClose={close}
        />
      )}
    </>
  );
}

interface CompanyModalProps {
  title: string;
  submitLabel: string;
  /** The toast after saving. */
  savedText: string;
  stored: CompanyForm;
  save(form: CompanyForm): Promise<void>;
  onClose(): void;
}

/** The form for the name and quota of a new or stored company account. Success shows the toast and closes it; the lists of companies and all options reload. */
function CompanyModal({ title, submitLabel, savedText, stored, save, onClose }: CompanyModalProps) {
  const { t } = useTranslation('companies');
  const { form, submit, saving } = useSavedForm<CompanyForm, void>({
    initialValues: stored,
    validate: {
      name: (value) => (value.trim() === '' ? t('form.nameRequired') : null),
      captureQuota: (value) => (value === '' || isWithin(value) ? null : t('form.quotaRange', QUOTA)),
    },
    save,
    onSaved: () => {
      toast.success(savedText);
      onClose();
    },
    changes: [companiesKey, OPTIONS_KEY, captureUseKey],
  });
  return (
    <FormModal title={title} submitLabel={submitLabel} saving={saving} onSubmit={submit} onClose={onClose}>
      <TextInput
        label={t('form.name')}
        withAsterisk
        maxLength={MAX_NAME_LENGTH}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <NumberInput
        label={t('form.quota')}
        description={t('form.quotaHint')}
        allowDecimal={false}
        {...QUOTA}
        clampBehavior="none"
        thousandSeparator=" "
        {...form.getInputProps('captureQuota')}
      />
    </FormModal>
  );
}
