import { Checkbox, Input, Radio, Select, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Choice, searchBrands } from '~/api/queries/choices';
import { searchCompanies } from '~/api/queries/companies';
import {
  changeAccess,
  changeTerms,
  deleteTerms,
  type SettingTermRow,
  settingTermsKey,
  showChange,
  showDeletion,
  type TermFields,
  type TermOptions,
} from '~/api/queries/settingTerms';
import { AUTO, capturesPerMonth, DEFAULT_ORGANIC_DELAY, FREQUENCIES, ORGANIC_DELAYS } from '~/lib/frequency';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { errorText } from '~/ui/errorText';
import { AsyncMultiSelect, AsyncSelect } from '~/ui/form/AsyncSelect';
import { FormModal } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import { offerUndo } from '~/ui/undo';
import { useFormats } from '~/ui/useFormats';
import styles from './SettingTerms.module.css';
import { isRate, KEYWORD_TYPES, rateDigits, type TermChange } from './terms';

interface Props {
  rows: readonly SettingTermRow[];
  /** `changed` says whether anything was. */
  onClose(changed?: boolean): void;
}

/** Changes one term or several. */
export function TermModal({ change, ...props }: Props & { change: TermChange }) {
  switch (change) {
    case 'frequency':
      return <FrequencyModal {...props} />;
    case 'options':
      return <OptionsModal {...props} />;
    case 'brand':
      return <BrandModal {...props} />;
    case 'access':
      return <AccessModal {...props} />;
    case 'delete':
      return <DeleteModal {...props} />;
  }
}

/** The name of one term, or how many they are. */
function useName(rows: readonly SettingTermRow[]): string {
  const { t } = useTranslation('settingTerms');
  return rows.length === 1 && rows[0] ? rows[0].term : t('several', { count: rows.length });
}

/** What all rows have; undefined where they differ. */
function common<Value>(rows: readonly SettingTermRow[], of: (row: SettingTermRow) => Value): Value | undefined {
  const [first, ...others] = rows.map(of);
  const same = others.every((other) => JSON.stringify(other) === JSON.stringify(first));
  return same ? first : undefined;
}

/** A change of terms and how it shows on their rows. */
interface Change {
  fields: TermFields;
  shown: Partial<SettingTermRow>;
}

/** Writes a change to all rows, and closes the modal once it is saved. */
function useChange({ rows, onClose }: Props, onSaved: () => void, onFailed: (error: Error) => void) {
  const { t } = useTranslation('settingTerms');
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ fields }: Change) => changeTerms(rows, fields),
    onSuccess: async (operation, { shown }) => {
      onSaved();
      offerUndo({ operation, text: t('did.changed', { count: rows.length }), changes: [settingTermsKey] });
      onClose(true);
      await showChange(queries, rows, shown);
    },
    onError: onFailed,
  });
}

/** Runs an action in place of submitting a form. */
const submitting = (act: () => void) => (event: FormEvent) => {
  event.preventDefault();
  act();
};

function FrequencyModal(props: Props) {
  const { rows } = props;
  const { t } = useTranslation('settingTerms');
  const fmt = useFormats();
  const name = useName(rows);
  const queries = useQueryClient();
  const [every, setEvery] = useState(() => common(rows, (row) => row.every) ?? null);
  const rates = common(rows, (row) => row.searchConvertRate);
  const [rate, setRate] = useState(rates === undefined ? '' : String(Math.round(rates * 100)));
  const rateWrong = every === AUTO && !isRate(rate);
  const { mutate, isPending } = useChange(
    props,
    () => toast.success(t('updateDone')),
    () => {
      // The specification shows the first text on failure, too; the second one says how it ended.
      toast.success(t('updateDone'));
      toast.error(t('updateFailed'));
      void queries.invalidateQueries({ queryKey: settingTermsKey });
    },
  );
  const save = () => {
    if (every === null || rateWrong) return;
    const change = every === AUTO ? { every, searchConvertRate: Number(rate) / 100 } : { every };
    mutate({ fields: change, shown: change });
  };
  return (
    <FormModal
      title={t('title.frequency', { name })}
      submitLabel={t('apply', { count: rows.length })}
      saving={isPending}
      disabled={every === null}
      onSubmit={submitting(save)}
      onClose={props.onClose}
    >
      <Radio.Group
        label={t('frequency')}
        description={t('perMonth')}
        value={every === null ? '' : String(every)}
        onChange={(value) => setEvery(Number(value))}
      >
        <div className={styles.choices}>
          {FREQUENCIES.map(({ key, every: value }) => (
            <div key={key} className={styles.choice} data-checked={value === every ? true : undefined}>
              <Radio value={String(value)} label={t(`freq.${key}`)} />
              <span className={styles.figure}>
                {value === AUTO ? t('byVolume') : fmt.decimal(capturesPerMonth(value))}
              </span>
            </div>
          ))}
        </div>
      </Radio.Group>
      <RateField
        value={rate}
        disabled={every !== AUTO}
        error={rateWrong ? t('form.rateRange') : undefined}
        onChange={setRate}
      />
    </FormModal>
  );
}

interface RateProps {
  value: string;
  disabled: boolean;
  error: string | undefined;
  onChange(digits: string): void;
}

/** The share of searches that auto captures, in percent. */
export function RateField({ value, disabled, error, onChange }: RateProps) {
  const { t } = useTranslation('settingTerms');
  return (
    <TextInput
      label={t('form.rate')}
      description={t('form.rateHint')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      inputMode="numeric"
      rightSection="%"
      value={value}
      disabled={disabled}
      error={error}
      onChange={(event) => onChange(rateDigits(event.currentTarget.value))}
    />
  );
}

const DEFAULT_OPTIONS: TermOptions = {
  saveOrganicResults: false,
  disableSaveAds: false,
  saveShoppingAds: false,
  delayForOrganicResults: DEFAULT_ORGANIC_DELAY,
};

function OptionsModal(props: Props) {
  const { rows } = props;
  const { t } = useTranslation('settingTerms');
  const commonTexts = useTranslation('common').t;
  const name = useName(rows);
  const shared = common(rows, (row) => row.options);
  const [options, setOptions] = useState(shared ?? DEFAULT_OPTIONS);
  const { mutate, isPending } = useChange(
    props,
    () => toast.success(t('updateDone')),
    (error) => toast.error(errorText(error, commonTexts)),
  );
  return (
    <FormModal
      title={t('title.options', { name })}
      submitLabel={t('apply', { count: rows.length })}
      saving={isPending}
      onSubmit={submitting(() => mutate({ fields: { options }, shown: { options } }))}
      onClose={props.onClose}
    >
      {!shared && <p className={styles.hint}>{t('mixed')}</p>}
      <OptionFields options={options} onChange={setOptions} />
    </FormModal>
  );
}

interface OptionsProps {
  options: TermOptions;
  onChange(options: TermOptions): void;
}

/** What is saved of a capture. */
export function OptionFields({ options, onChange }: OptionsProps) {
  const { t } = useTranslation('settingTerms');
  return (
    <Input.Wrapper label={t('form.save')} labelElement="div">
      <Stack gap="xs" role="group" aria-label={t('form.save')}>
        <Checkbox
          label={t('form.classicAds')}
          checked={!options.disableSaveAds}
          onChange={(event) => onChange({ ...options, disableSaveAds: !event.currentTarget.checked })}
        />
        <Checkbox
          label={t('form.shoppingAds')}
          checked={options.saveShoppingAds}
          onChange={(event) => onChange({ ...options, saveShoppingAds: event.currentTarget.checked })}
        />
        <Checkbox
          label={t('form.organic')}
          checked={options.saveOrganicResults}
          onChange={(event) => onChange({ ...options, saveOrganicResults: event.currentTarget.checked })}
        />
        <Select
          label={t('form.delay')}
          disabled={!options.saveOrganicResults}
          allowDeselect={false}
          data={ORGANIC_DELAYS.map(({ key, delay }) => ({ value: String(delay), label: t(`organic.${key}`) }))}
          value={String(options.delayForOrganicResults)}
          onChange={(delay) => delay && onChange({ ...options, delayForOrganicResults: Number(delay) })}
        />
      </Stack>
    </Input.Wrapper>
  );
}

/** The value of the choice that clears the brand. */
const NO_BRAND = 'none';

function BrandModal(props: Props) {
  const { rows, onClose } = props;
  const { t } = useTranslation(['settingTerms', 'market']);
  const name = useName(rows);
  const noBrand: Choice = { value: NO_BRAND, label: t('noBrand') };
  const shared = common(rows, (row) => row.brand);
  const [brand, setBrand] = useState<Choice | null>(shared === null ? noBrand : (shared ?? null));
  const [keywordType, setKeywordType] = useState(common(rows, (row) => row.keywordType) || null);
  const { mutate, isPending } = useChange(
    props,
    () => toast.success(t('updated')),
    () => toast.error(t('updateFailed')),
  );
  const search = async (query: string, signal: AbortSignal) => {
    const brands = await searchBrands(query, signal);
    return noBrand.label.toLowerCase().includes(query.toLowerCase()) ? [noBrand, ...brands] : brands;
  };
  const save = () => {
    if (!brand) return onClose();
    const chosen = brand.value === NO_BRAND ? null : brand;
    const type = keywordType === null ? {} : { keywordType };
    mutate({
      fields: { ...type, brandId: chosen && Number(chosen.value) },
      shown: { ...type, brand: chosen },
    });
  };
  return (
    <FormModal
      title={t('title.brand', { name })}
      submitLabel={t('apply', { count: rows.length })}
      saving={isPending}
      onSubmit={submitting(save)}
      onClose={onClose}
    >
      <AsyncSelect label={t('filter.brand')} search={search} depends={['or none']} value={brand} onChange={setBrand} />
      <Select
        label={t('filter.keywordType')}
        placeholder={t('unchanged')}
        data={KEYWORD_TYPES.map((type) => ({ value: type, label: t(`market:keywordType.${type}`) }))}
        value={keywordType}
        allowDeselect={false}
        onChange={setKeywordType}
      />
    </FormModal>
  );
}

/** The company accounts that every row has. */
const companiesOfAll = (rows: readonly SettingTermRow[]): readonly Choice[] =>
  (rows[0]?.companies ?? []).filter(({ value }) =>
    rows.every(({ companies }) => companies.some((company) => company.value === value)),
  );

function AccessModal({ rows, onClose }: Props) {
  const { t } = useTranslation('settingTerms');
  const queries = useQueryClient();
  const name = useName(rows);
  const [before] = useState(() => companiesOfAll(rows));
  const [companies, setCompanies] = useState(before);
  const missing = (list: readonly Choice[], from: readonly Choice[]) =>
    list.filter(({ value }) => !from.some((one) => one.value === value));
  const { mutate, isPending } = useMutation({
    mutationFn: () => changeAccess(rows, companies, missing(before, companies)),
    onSuccess: async () => {
      toast.success(t('accessUpdated'));
      onClose(true);
      await showChange(queries, rows, { companies });
    },
    onError: () => {
      toast.error(t('updateFailed'));
      void queries.invalidateQueries({ queryKey: settingTermsKey });
    },
  });
  const save = () => (companies.length === 0 ? toast.warning(t('needCompany')) : mutate());
  return (
    <FormModal
      title={t('title.access', { name })}
      submitLabel={t('apply', { count: rows.length })}
      saving={isPending}
      onSubmit={submitting(save)}
      onClose={onClose}
    >
      <AsyncMultiSelect
        label={t('filter.companies')}
        description={t('accessHint')}
        search={searchCompanies}
        value={companies}
        onChange={setCompanies}
      />
    </FormModal>
  );
}

function DeleteModal({ rows, onClose }: Props) {
  const { t } = useTranslation('settingTerms');
  const queries = useQueryClient();
  const name = useName(rows);
  const [changed, setChanged] = useState(false);
  return (
    <ConfirmModal
      danger
      title={t('title.delete', { name })}
      text={t('deleteText', { count: rows.length })}
      confirm={t('delete')}
      act={async () => {
        await deleteTerms(rows);
        setChanged(true);
        await showDeletion(queries, rows);
      }}
      done={t(rows.length === 1 ? 'deletedOne' : 'deletedMany')}
      onClose={() => onClose(changed)}
    />
  );
}
