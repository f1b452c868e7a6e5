import { Button, FileButton, Group, TagsInput, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  addTrademark,
  changeTrademark,
  type Trademark,
  trademarksQuery,
  uploadAuthorisation,
} from '~/api/queries/trademarks';
import { errorText } from '~/ui/errorText';
import { ModalForm } from '~/ui/form/FormModal';
import { useSavedForm } from '~/ui/form/useSavedForm';
import { toast } from '~/ui/toast';

/** The server's limits. */
const LONGEST_NAME = 255;
const LONGEST_NUMBER = 80;
const LAST_CLASS = 45;

const SEPARATORS = [',', ';', ' '];
const COUNTRY = /^[A-Za-z]{2}$/;

interface TrademarkValues extends Record<string, unknown> {
  mark: string;
  office: string;
  number: string;
  countries: string[];
  /** What is typed, numbers or not. */
  classes: string[];
  owner: string;
  authorisationId: string | null;
}

const valuesOf = (trademark: Trademark | null): TrademarkValues => ({
  mark: trademark?.mark ?? '',
  office: trademark?.office ?? '',
  number: trademark?.number ?? '',
  countries: trademark?.countries ?? [],
  classes: trademark?.classes.map(String) ?? [],
  owner: trademark?.owner ?? '',
  authorisationId: trademark?.authorisationId ?? null,
});

const isClass = (typed: string): boolean =>
  /^\d{1,2}$/.test(typed) && Number(typed) >= 1 && Number(typed) <= LAST_CLASS;

interface Props {
  brandId: number;
  /** The stored mark; null for a new one. */
  trademark: Trademark | null;
  /** Called when it is saved, and when the user cancels. */
  onDone(): void;
}

/** The form of a new or stored mark of a brand, with the file that proves that complaints are made for its owner. */
export function TrademarkForm({ brandId, trademark, onDone }: Props) {
  const { t } = useTranslation('brands');
  const common = useTranslation('common').t;
  const [uploading, setUploading] = useState(false);
  const text = (longest: number) => (value: string) => {
    if (value.trim() === '') return common('field.required');
    return [...value].length > longest ? t('form.tooLong', { count: longest }) : null;
  };
  const { form, submit, saving } = useSavedForm<TrademarkValues, Trademark>({
    initialValues: valuesOf(trademark),
    validate: {
      mark: text(LONGEST_NAME),
      office: text(LONGEST_NUMBER),
      number: text(LONGEST_NUMBER),
      owner: text(LONGEST_NAME),
      countries: (countries) => (countries.every((one) => COUNTRY.test(one)) ? null : t('trademarks.noCountry')),
      classes: (classes) => (classes.every(isClass) ? null : t('trademarks.noClass', { count: LAST_CLASS })),
    },
    save: ({ classes, ...rest }) => {
      const body = { ...rest, classes: classes.map(Number) };
      return trademark ? changeTrademark(brandId, trademark, body) : addTrademark(brandId, body);
    },
    onSaved: () => {
      toast.success(t('trademarks.saved'));
      onDone();
    },
    changes: [trademarksQuery(brandId).queryKey],
  });
  const upload = async (file: File | null) => {
    if (!file) return;
    setUploading(true);
    try {
      form.setFieldValue('authorisationId', await uploadAuthorisation(file));
    } catch (error) {
      toast.error(errorText(error, common));
    } finally {
      setUploading(false);
    }
  };
  const isAuthorised = form.getValues().authorisationId !== null;
  return (
    <ModalForm submitLabel={common('save')} saving={saving || uploading} onSubmit={submit} onCancel={onDone}>
      <TextInput
        label={t('trademarks.mark')}
        description={t('trademarks.markHint')}
        data-autofocus
        autoFocus
        {...form.getInputProps('mark')}
      />
      <TextInput label={t('trademarks.office')} placeholder="EUIPO" {...form.getInputProps('office')} />
      <TextInput label={t('trademarks.number')} {...form.getInputProps('number')} />
      <TextInput label={t('trademarks.owner')} {...form.getInputProps('owner')} />
      <TagsInput
        label={t('trademarks.countries')}
        description={t('trademarks.countriesHint')}
        splitChars={SEPARATORS}
        {...form.getInputProps('countries')}
      />
      <TagsInput label={t('trademarks.classes')} splitChars={SEPARATORS} {...form.getInputProps('classes')} />
      <Group gap="sm">
        <FileButton onChange={(file) => void upload(file)}>
          {(props) => (
            <Button {...props} size="xs" variant="default" loading={uploading}>
              {t(isAuthorised ? 'trademarks.replaceProof' : 'trademarks.addProof')}
            </Button>
          )}
        </FileButton>
        <Text size="sm" aria-live="polite">
          {t(isAuthorised ? 'trademarks.authorised' : 'trademarks.proofHint')}
        </Text>
      </Group>
    </ModalForm>
  );
}
