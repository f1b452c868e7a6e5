import { Button, NumberInput, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core';
import { IconArchive, IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { writersTemplatesKey } from '~/api/queries/caseMails';
import { searchBrands } from '~/api/queries/choices';
import {
  addMailTemplate,
  changeMailTemplate,
  type MailTemplate,
  mailTemplatesKey,
  templateVersionsQuery,
} from '~/api/queries/mailTemplates';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { AsyncSelect, type Chosen } from '~/ui/form/AsyncSelect';
import { useSavedForm } from '~/ui/form/useSavedForm';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { insertionOf, unusedIn, type Variable, withFallback } from './letter';
import styles from './MailTemplates.module.css';
import { TYPES } from './TemplateList';
import { TemplatePreview } from './TemplatePreview';

/** The server's limits. */
const LONGEST_LABEL = 255;
const LONGEST_SUBJECT = 200;
const LONGEST_BODY = 20_000;
const MOST_REMINDERS = 50;

const LANGUAGES = ['fr', 'en'] as const;

interface TemplateValues extends Record<string, unknown> {
  type: string;
  label: string;
  language: string;
  /** Empty for any. */
  reminder: number | '';
  brand: Chosen | null;
  subject: string;
  body: string;
}

const valuesOf = (template: MailTemplate | undefined): TemplateValues => ({
  type: template?.type ?? 'notification',
  label: template?.label ?? '',
  language: template?.language ?? 'fr',
  reminder: template?.reminder ?? '',
  brand: template?.brandId ? { value: template.brandId, label: template.brandLabel ?? `#${template.brandId}` } : null,
  subject: template?.subject ?? '',
  body: template?.body ?? '',
});

const bodyOf = ({ brand, reminder, ...rest }: TemplateValues) => ({
  ...rest,
  brandId: brand ? Number(brand.value) : null,
  reminder: rest.type === 'reminder' && reminder !== '' ? reminder : null,
});

interface Props {
  /** Undefined for a new one. */
  template: MailTemplate | undefined;
  mayWrite: boolean;
  /** Whether something was written that is not saved. */
  onDirty(isDirty: boolean): void;
  onSaved(saved: MailTemplate): void;
  onPutAway(): void;
}

/** A template with its fields, its versions and its preview on a real case. Saving one that was used makes its next version. */
export function TemplateEditor({ template, mayWrite, onDirty, onSaved, onPutAway }: Props) {
  const { t } = useTranslation('mailTemplates');
  const [isPutAway, setPutAway] = useState(false);
  const text = useRef<HTMLTextAreaElement>(null);
  const isUsed = (template?.made ?? 0) > 0;
  const next = (template?.version ?? 0) + 1;
  const { form, submit, saving } = useSavedForm<TemplateValues, MailTemplate>({
    initialValues: valuesOf(template),
    validate: {
      label: (label) => (label.trim() === '' ? t('missing.label') : null),
      subject: (subject) => (subject.trim() === '' ? t('missing.subject') : null),
      body: (body) => (body.trim() === '' ? t('missing.body') : null),
    },
    save: (values) => {
      const body = { ...bodyOf(values), active: true };
      return template ? changeMailTemplate(template.id, body) : addMailTemplate(body);
    },
    onSaved: (saved) => {
      toast.success(t('saved', { version: saved.version }));
      form.resetDirty();
      onSaved(saved);
    },
    changes: [mailTemplatesKey, writersTemplatesKey],
  });
  const values = form.getValues();
  const isDirty = mayWrite && form.isDirty();
  const isChanged = !template || isDirty;
  useEffect(() => {
    onDirty(isDirty);
    return () => onDirty(false);
  }, [isDirty, onDirty]);

  /** Writes a value into the text where the cursor is. */
  function insert(name: Variable) {
    const field = text.current;
    const at = field?.selectionStart ?? values.body.length;
    const end = field?.selectionEnd ?? at;
    form.setFieldValue('body', values.body.slice(0, at) + insertionOf(name) + values.body.slice(end));
    field?.focus();
  }

  return (
    <>
      <section className={styles.card} aria-label={template?.label ?? t('new')}>
        <form className={styles.form} onSubmit={submit}>
          <div className={styles.cardHead}>
            <h2 className={styles.cardTitle}>{template?.label ?? t('new')}</h2>
            {template && <span className={styles.tag}>{t('version', { version: template.version })}</span>}
            {isChanged && isUsed && mayWrite && <span className={styles.draft}>{t('draftOf', { version: next })}</span>}
          </div>
          <fieldset className={styles.fields} disabled={!mayWrite}>
            <TextInput
              label={t('field.label')}
              maxLength={LONGEST_LABEL}
              disabled={!mayWrite}
              {...form.getInputProps('label')}
            />
            <div className={styles.row}>
              <Select
                label={t('field.type')}
                data={TYPES.map((type) => ({ value: type, label: t(`type.${type}`) }))}
                allowDeselect={false}
                disabled={!mayWrite}
                {...form.getInputProps('type')}
              />
              {values.type === 'reminder' && (
                <NumberInput
                  label={t('field.reminder')}
                  placeholder={t('field.anyReminder')}
                  min={1}
                  max={MOST_REMINDERS}
                  allowDecimal={false}
                  disabled={!mayWrite}
                  {...form.getInputProps('reminder')}
                />
              )}
              <AsyncSelect
                label={t('field.brand')}
                description={values.brand ? undefined : t('field.allBrands')}
                search={searchBrands}
                disabled={!mayWrite}
                value={values.brand}
                onChange={(brand) => form.setFieldValue('brand', brand)}
              />
              <div>
                <span className={styles.fieldLabel}>{t('field.language')}</span>
                <SegmentedControl
                  aria-label={t('field.language')}
                  data={LANGUAGES.map((language) => ({ value: language, label: language.toUpperCase() }))}
                  disabled={!mayWrite}
                  {...form.getInputProps('language')}
                />
              </div>
            </div>
            <TextInput
              label={t('field.subject')}
              maxLength={LONGEST_SUBJECT}
              disabled={!mayWrite}
              {...form.getInputProps('subject')}
            />
            <Textarea
              ref={text}
              label={t('field.body')}
              description={mayWrite ? t('field.bodyHint') : undefined}
              maxLength={LONGEST_BODY}
              autosize
              minRows={14}
              maxRows={30}
              classNames={{ input: styles.text ?? '' }}
              disabled={!mayWrite}
              {...form.getInputProps('body')}
            />
          </fieldset>
          {mayWrite && (
            <>
              <Unused text={`${values.subject} ${values.body}`} onInsert={insert} />
              <div className={styles.buttons}>
                <Button type="submit" leftSection={<IconCheck size={16} />} loading={saving} disabled={!isChanged}>
                  {isUsed ? t('publish', { version: next }) : t('save')}
                </Button>
                {template && (
                  <Button variant="default" leftSection={<IconArchive size={16} />} onClick={() => setPutAway(true)}>
                    {t('putAway')}
                  </Button>
                )}
              </div>
            </>
          )}
        </form>
        {template && (
          <Versions
            template={template}
            mayWrite={mayWrite}
            onTake={({ subject, body }) => form.setValues({ subject, body })}
          />
        )}
      </section>
      <TemplatePreview
        draft={{ type: values.type, language: values.language, subject: values.subject, body: values.body }}
        brandId={values.brand ? Number(values.brand.value) : null}
        template={template}
        onFallback={
          mayWrite
            ? (hole) => {
                const fill = (field: string) =>
                  withFallback(field, hole, t(values.language === 'fr' ? 'fallback.fr' : 'fallback.en'));
                form.setValues({ subject: fill(values.subject), body: fill(values.body) });
              }
            : undefined
        }
      />
      {isPutAway && template && (
        <ConfirmModal
          danger
          title={t('putAwayTitle', { label: template.label })}
          text={t('putAwayText')}
          confirm={t('putAway')}
          act={async () => {
            await changeMailTemplate(template.id, { ...bodyOf(valuesOf(template)), active: false });
            onPutAway();
          }}
          done={t('putAwayDone')}
          changes={[mailTemplatesKey, writersTemplatesKey]}
          onClose={() => setPutAway(false)}
        />
      )}
    </>
  );
}

/** The values that the template does not use yet, as buttons that write them into the text. */
function Unused({ text, onInsert }: { text: string; onInsert(name: Variable): void }) {
  const { t } = useTranslation('mailTemplates');
  const unused = unusedIn(text);
  if (unused.length === 0) return null;
  return (
    <div className={styles.unused}>
      <span className={styles.dim}>{t('unused')}</span>
      {unused.map((name) => (
        <button
          key={name}
          type="button"
          className={styles.variable}
          title={t('insert')}
          // The text keeps its cursor.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onInsert(name)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

interface VersionsProps {
  template: MailTemplate;
  mayWrite: boolean;
  onTake(version: MailTemplate): void;
}

/**
 * The versions of a template, which never change once a mail was made from them, with what came of the mails of each; the text of each can be taken up
 * again.
 */
function Versions({ template, mayWrite, onTake }: VersionsProps) {
  const { t } = useTranslation('mailTemplates');
  const fmt = useFormats();
  const { data } = useQuery(templateVersionsQuery(template.firstId));
  if (!data || data.length < 2) return null;
  const share = (count: number, sent: number) => (sent > 0 ? fmt.share(count / sent) : '–');
  return (
    <details className={styles.versions}>
      <summary>{t('versions', { count: data.length })}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard */}
      <section className={styles.results} aria-label={t('results.title')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t('results.version')}</th>
              <th scope="col">{t('results.sent')}</th>
              <th scope="col">{t('outcome.replied')}</th>
              <th scope="col">{t('outcome.accepted')}</th>
              <th scope="col">{t('outcome.reappeared')}</th>
              <th scope="col">
                <span className="visually-hidden">{t('take')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.map((version) => (
              <tr key={version.id}>
                <th scope="row">
                  {t('version', { version: version.version })}
                  <span className={styles.dim}>
                    {[fmt.date(version.createdDate), version.author].filter(Boolean).join(' · ')}
                  </span>
                </th>
                <td>{fmt.count(version.sent)}</td>
                <td>{share(version.replied, version.sent)}</td>
                <td>{share(version.accepted, version.sent)}</td>
                <td>{share(version.reappeared, version.sent)}</td>
                <td>
                  {mayWrite && version.id !== template.id && (
                    <Button
                      size="compact-xs"
                      variant="default"
                      aria-label={t('takeOf', { version: version.version })}
                      onClick={() => onTake(version)}
                    >
                      {t('take')}
                    </Button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}
