import { Checkbox, Group, Pill, Select, TagsInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { brandsKey } from '~/api/queries/brands';
import { regionsOf, searchTags } from '~/api/queries/choices';
import { searchCompanies } from '~/api/queries/companies';
import type { NewTermsToPlan } from '~/api/queries/planCost';
import {
  type CreatedTerms,
  createTerms,
  type Place,
  searchPlaces,
  settingTermsKey,
  type TermOptions,
} from '~/api/queries/settingTerms';
import { AUTO, capturesPerMonth, DEFAULT_ORGANIC_DELAY, DEFAULT_RATE, FREQUENCIES } from '~/lib/frequency';
import { SEPARATORS } from '~/lib/pasted';
import { AsyncMultiSelect, AsyncSelect, type Chosen } from '~/ui/form/AsyncSelect';
import { FormModal } from '~/ui/form/FormModal';
import { useSavedForm } from '~/ui/form/useSavedForm';
import { EngineIcon } from '~/ui/marketIcons';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { AddedTerms, useAddedTerms } from './AddedTerms';
import { RateField } from './FrequencyModal';
import styles from './SettingTerms.module.css';
import { OptionFields } from './TermModals';
import { isRate, keywordsOf, LONGEST_KEYWORD, MOST_KEYWORDS, tooLong } from './terms';
import { useSynchronization } from './useTermCalls';

/** Each with its brand: several brands have tags of one name. */
const searchTermTags = searchTags('term');

const ENGINES = ['google', 'bing'] as const;
const DEVICES = ['desktop', 'mobile', 'tablet'] as const;
/** The engine whose searches can target a region. */
const WITH_REGIONS = 'google';

/** The code of a creation whose terms are all there already. */
const ALL_THERE = 'TERMS_THERE';
/** The server's code for terms that plan more captures than a company account may. */
const OVER_QUOTA = 'CAPTURE_QUOTA_EXCEEDED';

interface Values extends Record<string, unknown> {
  keywords: string[];
  localization: Place | null;
  engine: string | null;
  region: string | null;
  every: string | null;
  rate: string;
  devices: string[];
  options: TermOptions;
  tags: readonly Chosen[];
  companies: readonly Chosen[];
  activate: boolean;
}

const EMPTY: Values = {
  keywords: [],
  localization: null,
  engine: 'google',
  region: null,
  every: null,
  rate: String(DEFAULT_RATE),
  devices: ['desktop'],
  options: {
    saveOrganicResults: false,
    disableSaveAds: false,
    saveShoppingAds: false,
    delayForOrganicResults: DEFAULT_ORGANIC_DELAY,
  },
  tags: [],
  companies: [],
  activate: true,
};

interface Props {
  /** A company account that sees the terms from the start. */
  company?: Chosen;
  /** Called with the number of new terms. */
  onCreated(created: number): void;
  onClose(): void;
}

/** Creates terms that differ in their words alone. */
export function AddTerms({ company, onCreated, onClose }: Props) {
  const { t } = useTranslation(['settingTerms', 'market']);
  const fmt = useFormats();
  const [duplicates, setDuplicates] = useState(0);
  const { mutate: synchronize } = useSynchronization();

  const save = async ({ localization, engine, every, rate, region, ...values }: Values) => {
    const call = createTerms({
      keywords: values.keywords,
      localizationId: Number(localization?.value),
      engine: (engine ?? '').toUpperCase(),
      region: engine === WITH_REGIONS ? region : null,
      every: Number(every),
      searchConvertRate: isRate(rate) ? Number(rate) / 100 : undefined,
      devices: values.devices.map((device) => device.toUpperCase()),
      state: values.activate ? 'enabled' : 'disabled',
      options: values.options,
      canBeAccessBy: values.companies.map(({ value }) => Number(value)),
      categories: values.tags.map(({ value }) => Number(value)),
    });
    return call.catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 409 || error.code === OVER_QUOTA) throw error;
      throw new ApiError(409, ALL_THERE, error.message, { keywords: [t('form.allThere')] });
    });
  };

  const { form, submit, saving } = useSavedForm<Values, CreatedTerms>({
    initialValues: company ? { ...EMPTY, companies: [company] } : EMPTY,
    validate: {
      keywords: (keywords) => {
        if (keywords.length === 0) return t('form.needKeyword');
        if (keywords.length > MOST_KEYWORDS) return t('form.tooMany', { most: MOST_KEYWORDS });
        const long = tooLong(keywords);
        return long ? t('form.tooLong', { keyword: long, most: LONGEST_KEYWORD }) : null;
      },
      localization: (place) => {
        if (!place) return t('form.needLocalization');
        return place.country === '' ? t('form.noCountry') : null;
      },
      engine: (engine) => (engine ? null : t('form.needEngine')),
      every: (every) => (every === null ? t('form.needFrequency') : null),
      rate: (rate, { every }) => (every === String(AUTO) && !isRate(rate) ? t('form.rateRange') : null),
      devices: (devices) => (devices.length === 0 ? t('form.needDevice') : null),
    },
    save,
    onSaved: ({ created, skipped }) => {
      toast.success(t('created', { count: created.length }));
      if (skipped > 0) toast.warning(t('skipped', { count: skipped }));
      const { every, rate } = form.getValues();
      if (every === String(AUTO)) synchronize({ terms: created, rate: Number(rate) / 100 });
      onClose();
      onCreated(created.length);
    },
    changes: [settingTermsKey, brandsKey],
  });
  const values = form.getValues();
  const regions = useRegions(values);
  const count = values.keywords.length;
  const newTerms = toPlan(values);
  const added = useAddedTerms(newTerms);
  const existing = new Set<unknown>(added.plan?.existing.map(({ term }) => term));

  return (
    <FormModal
      title={t('add')}
      submitLabel={t('addCount', { count: count - existing.size || count })}
      saving={saving}
      disabled={count === 0 || values.localization === null}
      size={1060}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className={styles.adding}>
        <div className={styles.fields}>
          <TagsInput
            label={t('form.keywords')}
            description={[
              t('form.keywordsHint'),
              ...(count > 0 ? [t('form.entered', { count })] : []),
              ...(duplicates > 0 ? [t('form.duplicates', { count: duplicates })] : []),
            ].join(' · ')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            withAsterisk
            clearable
            data-autofocus
            splitChars={[...SEPARATORS]}
            // Duplicates reach `onChange`, which counts and drops them.
            allowDuplicates
            {...form.getInputProps('keywords')}
            onChange={(entries) => {
              const entered = keywordsOf(entries);
              setDuplicates(entered.duplicates);
              form.setFieldValue('keywords', entered.keywords);
            }}
            onBlur={() => form.validateField('keywords')}
            renderPill={({ option: { value }, onRemove }) => (
              <Pill withRemoveButton onRemove={onRemove} className={existing.has(value) ? styles.existing : undefined}>
                {value}
                {existing.has(value) && <small> {t('form.tracked')}</small>}
              </Pill>
            )}
          />
          <div className={styles.two}>
            <AsyncSelect
              label={t('form.localization')}
              withAsterisk
              data-path="localization"
              search={searchPlaces}
              value={values.localization}
              error={form.errors.localization}
              onChange={(place) => {
                form.setFieldValue('localization', place);
                form.setFieldValue('region', null);
              }}
              onBlur={() => form.validateField('localization')}
            />
            <Select
              label={t('form.engine')}
              withAsterisk
              clearable
              leftSection={values.engine && <EngineIcon engine={values.engine} />}
              data={ENGINES.map((engine) => ({ value: engine, label: t(`market:engine.${engine}`) }))}
              {...form.getInputProps('engine')}
            />
            <Select
              label={t('form.every')}
              withAsterisk
              clearable
              data={FREQUENCIES.map(({ key, every }) => ({ value: String(every), label: t(`freq.${key}`) }))}
              renderOption={({ option: { value, label } }) => (
                <span className={styles.option}>
                  {label}
                  <span className={styles.figure}>
                    {Number(value) === AUTO ? t('byVolume') : fmt.decimal(capturesPerMonth(Number(value)))}
                  </span>
                </span>
              )}
              maxDropdownHeight={360}
              {...form.getInputProps('every')}
              onChange={(every) => {
                form.setFieldValue('every', every);
                // Only auto has a rate that can be wrong.
                form.clearFieldError('rate');
              }}
            />
            <RateField
              value={values.rate}
              disabled={values.every !== String(AUTO)}
              error={form.errors.rate as string | undefined}
              onChange={(digits) => form.setFieldValue('rate', digits)}
            />
            <div className={styles.fields}>
              {regions.length > 0 && (
                <Select
                  label={t('form.region')}
                  placeholder={t('form.wholeCountry')}
                  searchable
                  clearable
                  data={regions.map(({ value, label }) => ({ value: String(value), label: fmt.place(label) }))}
                  {...form.getInputProps('region')}
                />
              )}
              <AsyncMultiSelect
                label={t('form.tags')}
                search={searchTermTags}
                value={values.tags}
                onChange={(tags) => form.setFieldValue('tags', tags)}
              />
              <AsyncMultiSelect
                label={t('access')}
                description={t('accessHint')}
                search={searchCompanies}
                value={values.companies}
                onChange={(companies) => form.setFieldValue('companies', companies)}
              />
            </div>
            <div className={styles.fields}>
              <OptionFields options={values.options} onChange={(options) => form.setFieldValue('options', options)} />
              <Checkbox.Group label={t('form.devices')} withAsterisk {...form.getInputProps('devices')}>
                <Group mt={4}>
                  {DEVICES.map((device) => (
                    <Checkbox key={device} value={device} label={t(`market:device.${device}`)} />
                  ))}
                </Group>
              </Checkbox.Group>
              <Checkbox
                label={t('form.activate')}
                checked={values.activate}
                onChange={(event) => form.setFieldValue('activate', event.currentTarget.checked)}
              />
            </div>
          </div>
        </div>
        <AddedTerms newTerms={newTerms} added={added} companies={values.companies.map(({ label }) => label)} />
      </div>
    </FormModal>
  );
}

/** What the server is asked about the terms of a form; undefined while it lacks words or a frequency. */
function toPlan(values: Values): NewTermsToPlan | undefined {
  const { keywords, engine, every, localization, region, devices, activate, companies } = values;
  const isPlannable =
    keywords.length > 0 && keywords.length <= MOST_KEYWORDS && !tooLong(keywords) && engine !== null && every !== null;
  if (!isPlannable) return undefined;
  return {
    words: keywords,
    engine: engine.toUpperCase(),
    localizationId: localization && Number(localization.value),
    region: engine === WITH_REGIONS ? region : null,
    devices: devices.map((device) => device.toUpperCase()),
    every: Number(every),
    state: activate ? 'enabled' : 'disabled',
    canBeAccessBy: companies.map(({ value }) => Number(value)),
  };
}

/** The regions that can be targeted: of Google, in the country of the place. */
function useRegions({ engine, localization }: Values) {
  const country = localization?.country ?? '';
  const { data } = useQuery({
    queryKey: ['regions', country],
    queryFn: ({ signal }) => regionsOf([country], signal),
    enabled: country !== '',
  });
  return engine === WITH_REGIONS && country !== '' ? (data ?? []) : [];
}
