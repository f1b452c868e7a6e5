import { Checkbox, Input, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { type AlertText, alertsKey, alertTextPreviewQuery, saveAlertText } from '~/api/queries/alerts';
import { searchBrands } from '~/api/queries/choices';
import { errorText } from '~/ui/errorText';
import { AsyncSelect, type Chosen } from '~/ui/form/AsyncSelect';
import { ModalForm } from '~/ui/form/FormModal';
import { useSavedForm } from '~/ui/form/useSavedForm';
import { toast } from '~/ui/toast';
import styles from './Alerts.module.css';

/** The server's limits. */
const LONGEST_LABEL = 255;
const LONGEST_SUBJECT = 200;
const LONGEST_BODY = 20_000;

const LANGUAGES = ['fr', 'en'] as const;
/** After the last key. */
const DELAY_MS = 600;

interface TextValues extends Record<string, unknown> {
  label: string;
  language: string;
  brand: Chosen | null;
  subject: string;
  body: string;
}

const brandOf = ({ brand }: Pick<TextValues, 'brand'>): number | null => (brand ? Number(brand.value) : null);

interface Props {
  /** Undefined for a new one. */
  text: AlertText | undefined;
  /** It is saved, or left as it was. */
  onDone(): void;
}

/** A text of alerts, and beside it what it says now of a brand. */
export function AlertTextForm({ text, onDone }: Props) {
  const { t } = useTranslation('alerts');
  const common = useTranslation('common').t;
  const { form, submit, saving } = useSavedForm<TextValues, AlertText>({
    initialValues: {
      label: text?.label ?? '',
      language: text?.language ?? 'fr',
      brand: text?.brandId ? { value: text.brandId, label: text.brandLabel ?? `#${text.brandId}` } : null,
      subject: text?.subject ?? '',
      body: text?.body ?? '',
    },
    validate: {
      label: (label) => (label.trim() === '' ? common('field.required') : null),
      subject: (subject) => (subject.trim() === '' ? common('field.required') : null),
      body: (body) => (body.trim() === '' ? common('field.required') : null),
    },
    save: ({ label, language, subject, body, ...values }) =>
      saveAlertText(text?.id, { label, language, subject, body, brandId: brandOf(values) }),
    onSaved: () => {
      toast.success(t('texts.saved'));
      onDone();
    },
    changes: [alertsKey],
  });
  const values = form.getValues();
  return (
    <div className={styles.columns}>
      <ModalForm submitLabel={common('save')} saving={saving} onSubmit={submit} onCancel={onDone}>
        <TextInput label={t('texts.label')} maxLength={LONGEST_LABEL} {...form.getInputProps('label')} />
        <div className={styles.pair}>
          <AsyncSelect
            label={t('texts.brand')}
            description={values.brand ? undefined : t('texts.allBrands')}
            search={searchBrands}
            value={values.brand}
            onChange={(brand) => form.setFieldValue('brand', brand)}
          />
          <Input.Wrapper label={t('texts.language')} labelElement="div">
            <SegmentedControl
              fullWidth
              aria-label={t('texts.language')}
              data={LANGUAGES.map((language) => ({ value: language, label: t(`texts.languageOf.${language}`) }))}
              {...form.getInputProps('language')}
            />
          </Input.Wrapper>
        </div>
        <TextInput label={t('texts.subject')} maxLength={LONGEST_SUBJECT} {...form.getInputProps('subject')} />
        <Textarea
          label={t('texts.body')}
          description={t('texts.values')}
          maxLength={LONGEST_BODY}
          autosize
          minRows={10}
          maxRows={24}
          {...form.getInputProps('body')}
        />
      </ModalForm>
      <TextPreview {...values} />
    </div>
  );
}

/** What a text would say now of a brand: of the last week, or of what happened in cases. */
function TextPreview({ language, subject, body, brand }: TextValues) {
  const { t } = useTranslation('alerts');
  const common = useTranslation('common').t;
  const [chosen, setChosen] = useState<Chosen | null>(brand);
  const [ofEvents, setOfEvents] = useState(false);
  const brandId = brandOf({ brand: chosen ?? brand });
  const [asked] = useDebouncedValue({ brandId: brandId ?? 0, language, subject, body, ofEvents }, DELAY_MS);
  const isReady = brandId !== null && subject.trim() !== '' && body.trim() !== '';
  const { data, error, isFetching } = useQuery({ ...alertTextPreviewQuery(asked), enabled: isReady });
  const refused = error instanceof ApiError && error.status === 422 ? Object.values(error.fields).flat() : [];
  return (
    <section className={styles.preview} aria-label={t('texts.previewTitle')} aria-busy={isFetching}>
      <h3 className={styles.previewTitle}>{t('texts.previewTitle')}</h3>
      <AsyncSelect label={t('texts.previewBrand')} search={searchBrands} value={chosen ?? brand} onChange={setChosen} />
      <Checkbox
        label={t('texts.ofEvents')}
        checked={ofEvents}
        onChange={(event) => setOfEvents(event.currentTarget.checked)}
      />
      {!isReady && <p className={styles.dim}>{t('texts.missing')}</p>}
      {isReady && error && (
        <p className={styles.dim} role="alert">
          {refused.length > 0 ? refused.join(' ') : errorText(error, common)}
        </p>
      )}
      {isReady && !error && data && (
        <>
          <p className={styles.subject}>{data.subject}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard */}
          <section className={styles.letter} aria-label={data.subject} tabIndex={0}>
            {data.body}
          </section>
        </>
      )}
    </section>
  );
}
