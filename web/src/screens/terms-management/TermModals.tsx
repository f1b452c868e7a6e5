import { Checkbox, Input, Select, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Choice, searchBrands } from '~/api/queries/choices';
import { searchCompanies } from '~/api/queries/companies';
import { deletedKey } from '~/api/queries/history';
import {
  changeAccess,
  deleteTerms,
  type SettingTermRow,
  settingTermsKey,
  showChange,
  showDeletion,
  type TermOptions,
} from '~/api/queries/settingTerms';
import { DEFAULT_ORGANIC_DELAY, ORGANIC_DELAYS } from '~/lib/frequency';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { unlessChanged } from '~/ui/conflict';
import { errorText } from '~/ui/errorText';
import { AsyncMultiSelect, AsyncSelect } from '~/ui/form/AsyncSelect';
import { FormModal } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import { offerUndo } from '~/ui/undo';
import { FrequencyModal } from './FrequencyModal';
import styles from './SettingTerms.module.css';
import { StateModal } from './StateModal';
import { type ChangeProps, common, countOf, submitting, useChange, useName, useSeen, WholeNote } from './termChange';
import { KEYWORD_TYPES, type TermChange } from './terms';

/** Changes one term or several. */
export function TermModal({ change, ...props }: ChangeProps & { change: TermChange }) {
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
    default:
      return <StateModal state={change} {...props} />;
  }
}

const DEFAULT_OPTIONS: TermOptions = {
  saveOrganicResults: false,
  disableSaveAds: false,
  saveShoppingAds: false,
  delayForOrganicResults: DEFAULT_ORGANIC_DELAY,
};

function OptionsModal(props: ChangeProps) {
  const { t } = useTranslation('settingTerms');
  const commonTexts = useTranslation('common').t;
  const name = useName(props);
  const shared = common(props, (row) => row.options);
  const [options, setOptions] = useState(shared ?? DEFAULT_OPTIONS);
  const { mutate, isPending } = useChange(
    props,
    () => toast.success(t('updateDone')),
    (error) => toast.error(errorText(error, commonTexts)),
  );
  return (
    <FormModal
      title={t('title.options', { name })}
      submitLabel={t('apply', { count: countOf(props) })}
      saving={isPending}
      onSubmit={submitting(() => mutate({ fields: { options }, shown: { options } }))}
      onClose={props.onClose}
    >
      <WholeNote whole={props.whole} />
      {!shared && <p className={styles.hint}>{t('mixed')}</p>}
      <OptionFields focused options={options} onChange={setOptions} />
    </FormModal>
  );
}

interface OptionsProps {
  options: TermOptions;
  /** Focused when its modal opens. */
  focused?: boolean;
  onChange(options: TermOptions): void;
}

/** What is saved of a capture. */
export function OptionFields({ options, focused, onChange }: OptionsProps) {
  const { t } = useTranslation('settingTerms');
  return (
    <Input.Wrapper label={t('form.save')} labelElement="div">
      <Stack gap="xs" role="group" aria-label={t('form.save')}>
        <Checkbox
          label={t('form.classicAds')}
          data-autofocus={focused}
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

function BrandModal(props: ChangeProps) {
  const { onClose } = props;
  const { t } = useTranslation(['settingTerms', 'market']);
  const commonTexts = useTranslation('common').t;
  const name = useName(props);
  const noBrand: Choice = { value: NO_BRAND, label: t('noBrand') };
  const shared = common(props, (row) => row.brand);
  const [brand, setBrand] = useState<Choice | null>(shared === null ? noBrand : (shared ?? null));
  const [keywordType, setKeywordType] = useState(common(props, (row) => row.keywordType) || null);
  const { mutate, isPending } = useChange(
    props,
    () => toast.success(t('updated')),
    (error) => toast.error(t('updateFailed'), errorText(error, commonTexts)),
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
      submitLabel={t('apply', { count: countOf(props) })}
      saving={isPending}
      onSubmit={submitting(save)}
      onClose={onClose}
    >
      <WholeNote whole={props.whole} />
      <AsyncSelect
        label={t('filter.brand')}
        data-autofocus
        search={search}
        depends={['or none']}
        value={brand}
        onChange={setBrand}
      />
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

/** Of loaded terms only: what accounts they all have is known of these. */
function AccessModal({ rows, onClose }: ChangeProps) {
  const { t } = useTranslation('settingTerms');
  const commonTexts = useTranslation('common').t;
  const queries = useQueryClient();
  const name = useName({ rows });
  const [before] = useState(() => companiesOfAll(rows));
  const [companies, setCompanies] = useState(before);
  const missing = (list: readonly Choice[], from: readonly Choice[]) =>
    list.filter(({ value }) => !from.some((one) => one.value === value));
  const { mutate, isPending } = useMutation({
    mutationFn: () => changeAccess(rows, companies, missing(before, companies)),
    onSuccess: async (operation) => {
      toast.success(t('accessUpdated'));
      offerUndo({ operation, text: t('did.changed', { count: rows.length }), changes: [settingTermsKey] });
      onClose(true);
      await showChange(queries, { rows }, { companies });
    },
    onError: (error) => {
      toast.error(t('updateFailed'), errorText(error, commonTexts));
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
        data-autofocus
        search={searchCompanies}
        value={companies}
        onChange={setCompanies}
      />
    </FormModal>
  );
}

/** The keys of queries that show deleted terms, or those that are left. */
const CHANGED_BY_DELETION = [settingTermsKey, deletedKey];

function DeleteModal({ onClose, ...target }: ChangeProps) {
  const { t } = useTranslation('settingTerms');
  const queries = useQueryClient();
  const name = useName(target);
  const count = countOf(target);
  const seen = useSeen(target);
  const [changed, setChanged] = useState(false);
  return (
    <ConfirmModal
      danger
      title={t('title.delete', { name })}
      text={[target.whole && t('whole.note', { count }), t('deleteText', { count })].filter(Boolean).join(' ')}
      confirm={t('delete')}
      sure={target.whole && t('whole.sure', { count })}
      act={async () => {
        const operation = await unlessChanged(seen, (known) => deleteTerms(target, known));
        offerUndo({ operation, text: t('did.deleted', { count }), changes: CHANGED_BY_DELETION });
        setChanged(true);
        await queries.invalidateQueries({ queryKey: deletedKey });
        await showDeletion(queries, target);
      }}
      done={t(count === 1 ? 'deletedOne' : 'deletedMany')}
      onClose={() => onClose(changed)}
    />
  );
}
