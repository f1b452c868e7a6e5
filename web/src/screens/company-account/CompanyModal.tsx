import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type CompanyForm, companiesKey } from '~/api/queries/companies';
import { FormModal } from '~/ui/form/FormModal';
import { useSavedForm } from '~/ui/form/useSavedForm';
import { toast } from '~/ui/toast';

/** As much as the server keeps. */
const LONGEST_NAME = 255;

interface Props {
  title: string;
  submitLabel: string;
  /** Told when it is saved. */
  saved: string;
  name: string;
  save(form: CompanyForm): Promise<void>;
  onClose(): void;
}

/** The form of a company account. */
export function CompanyModal({ title, submitLabel, saved, name, save, onClose }: Props) {
  const { t } = useTranslation('companies');
  const { form, submit, saving } = useSavedForm<{ name: string }, void>({
    initialValues: { name },
    validate: { name: (value) => (value.trim() === '' ? t('form.nameRequired') : null) },
    save,
    onSaved: () => {
      toast.success(saved);
      onClose();
    },
    changes: [companiesKey, ['options']],
  });
  return (
    <FormModal title={title} submitLabel={submitLabel} saving={saving} onSubmit={submit} onClose={onClose}>
      <TextInput
        label={t('form.name')}
        withAsterisk
        maxLength={LONGEST_NAME}
        data-autofocus
        {...form.getInputProps('name')}
      />
    </FormModal>
  );
}
