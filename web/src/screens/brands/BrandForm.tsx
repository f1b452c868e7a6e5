import { Checkbox, NumberInput, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCalendarTime } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { autoMatch, isUnusual, matchPreviewQuery, type Patterns } from '~/api/queries/brandMatch';
import { type BrandFlag, type BrandRow, createBrand, setCompanies, updateBrand } from '~/api/queries/brands';
import type { Choice } from '~/api/queries/choices';
import { searchCompanies } from '~/api/queries/companies';
import { unlessChanged } from '~/ui/conflict';
import { errorText } from '~/ui/errorText';
import { AsyncMultiSelect } from '~/ui/form/AsyncSelect';
import { FormModal } from '~/ui/form/FormModal';
import { fieldErrors, useSavedForm } from '~/ui/form/useSavedForm';
import { toast } from '~/ui/toast';
import styles from './BrandForm.module.css';
import { BrandPreview } from './BrandPreview';
import { type BrandValues, changeOf, patternsOf, valuesOf } from './brandValues';
import { CHANGED_BY_BRANDS } from './changedByBrands';
import { failureWords, matchedWords, PATTERN_FIELDS } from './matchWords';
import { hasSlashes, type Pattern, storedPattern } from './patterns';
import { ReminderWords } from './ReminderWords';

/** The server's limits. */
const MAX_LENGTH = { label: 255, pattern: 500 } as const;
const DAYS = { min: 1, max: 365 } as const;
const QUOTA = { min: 0, max: 50 } as const;

/** Counted as the server does. */
const isTooLong = (text: string, most: number): boolean => [...text].length > most;

const WIDTH = 1120;

const PREVIEW_DELAY_MS = 300;

/** The one that writes to others comes last, over the whole width. */
const FLAGS = [
  'validated',
  'createNotification',
  'createShoppingNotification',
  'autoReminder',
  'notificationAuto',
] as const satisfies readonly BrandFlag[];

interface Props {
  /** The stored brand; null for a new one. */
  brand: BrandRow | null;
  /** A company account that a new brand starts with. */
  company?: Choice;
  onClose(): void;
}

/** Why a saved brand was not linked with all its company accounts; empty if it was. */
interface Saved {
  companiesFailed?: string;
}

/** The form of a new or stored brand. Saves the brand first, then the links to its company accounts. */
export function BrandModal({ brand, company, onClose }: Props) {
  const { t } = useTranslation('brands');
  const common = useTranslation('common').t;
  const [initial] = useState(() => valuesOf(brand, company));
  // Of what the form started with: the list behind it may be loaded again meanwhile.
  const [seen] = useState(brand?.asOf);
  // A choice is about the patterns that it was made for.
  const [matchChoice, setMatchChoice] = useState<{ of: string; on: boolean }>();

  /** Terms that have no brand get this one. A failure is reported; the brand is saved all the same. */
  const matchTerms = async (id: number, label: string) => {
    try {
      toast.success(t('match.done', { brand: label }), matchedWords(await autoMatch(id, false), t));
    } catch (error) {
      toast.error(t('match.failed', { brand: label }), failureWords(error, common));
    }
  };

  const saveAll = async (values: BrandValues): Promise<Saved> => {
    const change = changeOf(values, initial);
    const id = brand ? Number(brand.id) : await createBrand(change);
    if (brand) await unlessChanged(seen, (known) => updateBrand(id, change, known));
    const ids = (companies: BrandValues['companies']) => companies.map(({ value }) => Number(value));
    const saved: Saved = {};
    try {
      await setCompanies(id, brand ? ids(initial.companies) : [], ids(values.companies));
    } catch (error) {
      saved.companiesFailed = errorText(error, common);
    }
    if (matches) await matchTerms(id, values.label.trim());
    return saved;
  };

  const patternProblem = (pattern: Pattern) => {
    if (hasSlashes(pattern.text)) return t('form.noSlashes');
    return isTooLong(storedPattern(pattern), MAX_LENGTH.pattern)
      ? t('form.tooLong', { count: MAX_LENGTH.pattern })
      : null;
  };
  const rangeProblem = (value: number | string, { min, max }: { min: number; max: number }) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max ? null : t('form.range', { min, max });

  const { form, submit, saving } = useSavedForm<BrandValues, Saved>({
    initialValues: initial,
    validate: {
      label: (value) => {
        if (value.trim() === '') return t('form.nameRequired');
        return isTooLong(value.trim(), MAX_LENGTH.label) ? t('form.tooLong', { count: MAX_LENGTH.label }) : null;
      },
      autoMatchRegExp: (text, { strict }) => patternProblem({ text, strict }),
      autoMatchExcludeRegExp: (text, { excludeStrict }) => patternProblem({ text, strict: excludeStrict }),
      frequency: (value) => rangeProblem(value, DAYS),
      quota: (value) => rangeProblem(value, QUOTA),
    },
    save: saveAll,
    onSaved: ({ companiesFailed }) => {
      if (companiesFailed) toast.error(t('companiesFailed'), companiesFailed);
      else toast.success(brand ? t('updated') : t('created'));
      onClose();
    },
    onKeptTheirs: onClose,
    changes: CHANGED_BY_BRANDS,
  });
  const values = form.getValues();
  const patterns = patternsOf(values);
  const isFit =
    !patternProblem({ text: values.autoMatchRegExp, strict: values.strict }) &&
    !patternProblem({ text: values.autoMatchExcludeRegExp, strict: values.excludeStrict });
  const { preview, loading, failed, errors } = useMatchPreview(brand ? Number(brand.id) : null, patterns, isFit);
  const counts = preview?.data;
  const typed = JSON.stringify(patterns);
  const chosen = matchChoice?.of === typed ? matchChoice.on : undefined;
  const matches = patterns.autoMatch !== '' && counts !== undefined && (chosen ?? !isUnusual(counts.linked, counts));
  const isUnknown = failed && Object.keys(errors).length === 0;

  return (
    <FormModal
      title={brand ? t('updateTitle') : t('createTitle')}
      submitLabel={common('save')}
      saving={saving}
      disabled={loading}
      onSubmit={submit}
      onClose={onClose}
      size={WIDTH}
      foot={
        isUnknown ? (
          <p className={styles.unknown} role="status">
            {t('form.matchUnknown')}
          </p>
        ) : (
          patterns.autoMatch !== '' &&
          counts && (
            <Checkbox
              label={t('form.matchOnSave')}
              description={
                isUnusual(counts.linked, counts)
                  ? t('form.joinMany', { count: counts.linked, total: counts.total })
                  : t('form.join', { count: counts.linked })
              }
              checked={matches}
              onChange={(event) => setMatchChoice({ of: typed, on: event.currentTarget.checked })}
            />
          )
        )
      }
    >
      <div className={styles.columns}>
        <div className={styles.fields}>
          <div className={styles.two}>
            <TextInput
              label={t('column.label')}
              classNames={{ label: styles.label }}
              withAsterisk
              data-autofocus
              description={brand ? t('form.nameFixed', { name: brand.name }) : t('form.nameWill')}
              inputWrapperOrder={['label', 'input', 'error', 'description']}
              {...form.getInputProps('label')}
            />
            <AsyncMultiSelect
              label={t('form.companies')}
              description={t('form.companiesHint')}
              search={searchCompanies}
              value={values.companies}
              onChange={(companies) => form.setFieldValue('companies', companies)}
            />
          </div>
          <PatternField
            label={t('column.autoMatch')}
            hint={t('form.autoMatchHint')}
            input={form.getInputProps('autoMatchRegExp')}
            refused={errors.autoMatchRegExp}
            strict={form.getInputProps('strict', { type: 'checkbox' })}
          />
          <PatternField
            label={t('form.exclusion')}
            hint={t('form.exclusionHint')}
            input={form.getInputProps('autoMatchExcludeRegExp')}
            refused={errors.autoMatchExcludeRegExp}
            strict={form.getInputProps('excludeStrict', { type: 'checkbox' })}
          />
          <ul className={styles.flags}>
            {FLAGS.map((flag) => (
              <li key={flag}>
                <Switch
                  labelPosition="left"
                  label={<span className="sentence">{t(`flag.${flag}`)}</span>}
                  description={t(`effect.${flag}On`)}
                  classNames={{ body: styles.flag, labelWrapper: styles.flagText }}
                  {...form.getInputProps(`flags.${flag}`, { type: 'checkbox' })}
                />
              </li>
            ))}
          </ul>
          <div className={styles.two}>
            <NumberInput
              label={t('form.daysBeforeRelaunch')}
              classNames={{ label: styles.label }}
              allowDecimal={false}
              {...DAYS}
              clampBehavior="none"
              {...form.getInputProps('frequency')}
            />
            <NumberInput
              label={t('form.quota')}
              classNames={{ label: styles.label }}
              allowDecimal={false}
              {...QUOTA}
              clampBehavior="none"
              {...form.getInputProps('quota')}
            />
          </div>
          <p className={styles.reminder} aria-live="polite">
            <IconCalendarTime size={18} aria-hidden />
            <ReminderWords
              auto={values.flags.autoReminder}
              frequency={rangeProblem(values.frequency, DAYS) ? null : Number(values.frequency)}
              quota={rangeProblem(values.quota, QUOTA) ? null : Number(values.quota)}
            />
          </p>
          {brand && brand.frequency === null && <p className={styles.unknown}>{t('form.reminderOfCompany')}</p>}
        </div>
        <div className={styles.side}>
          <BrandPreview preview={preview} loading={loading} failed={failed} />
        </div>
      </div>
    </FormModal>
  );
}

/** What the patterns would do, once the typing pauses; and what the server finds wrong with them. */
function useMatchPreview(brandId: number | null, patterns: Patterns, isFit: boolean) {
  const common = useTranslation('common').t;
  // Texts, since a new object would start the delay again at every render.
  const [include] = useDebouncedValue(patterns.autoMatch, PREVIEW_DELAY_MS);
  const [exclude] = useDebouncedValue(patterns.autoMatchExclude, PREVIEW_DELAY_MS);
  const isCurrent = include === patterns.autoMatch && exclude === patterns.autoMatchExclude;
  const enabled = include !== '' && isFit;
  const query = useQuery({
    ...matchPreviewQuery(brandId, { autoMatch: include, autoMatchExclude: exclude }),
    enabled,
    placeholderData: keepPreviousData,
  });
  const errors = isCurrent && enabled ? fieldErrors(query.error, PATTERN_FIELDS, common) : {};
  return {
    preview: enabled ? query.data : undefined,
    loading: enabled && (query.isFetching || !isCurrent),
    failed: enabled && query.isError,
    errors,
  };
}

interface PatternFieldProps {
  label: string;
  hint: string;
  /** Input props of the pattern. */
  input: { error?: React.ReactNode };
  /** Why the server refuses the pattern. */
  refused: string | undefined;
  /** Input props of its switch. */
  strict: object;
}

/** A pattern between the slashes that one does not type, and whether it means whole words. */
function PatternField({ label, hint, input, refused, strict }: PatternFieldProps) {
  const { t } = useTranslation('brands');
  return (
    <div className={styles.pattern}>
      <TextInput
        label={label}
        description={hint}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        leftSection="/"
        rightSection="/"
        classNames={{ label: styles.label, input: styles.code }}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        {...input}
        error={input.error ?? refused}
      />
      <Switch
        className={styles.strict}
        label={t('form.strict')}
        aria-label={t('form.strictOf', { pattern: label })}
        {...strict}
      />
    </div>
  );
}
