import { Radio, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { settingTermsKey } from '~/api/queries/settingTerms';
import { AUTO, capturesPerMonth, FREQUENCIES } from '~/lib/frequency';
import { errorText } from '~/ui/errorText';
import { FormModal } from '~/ui/form/FormModal';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { ChangeCost } from './CostLine';
import { intervalText } from './intervalText';
import styles from './SettingTerms.module.css';
import { type ChangeProps, common, countOf, submitting, useChange, useName, WholeNote } from './termChange';
import { isRate, rateDigits } from './terms';

/** Changes how often terms are captured, and says what that costs. */
export function FrequencyModal(props: ChangeProps) {
  const { t } = useTranslation('settingTerms');
  const commonTexts = useTranslation('common').t;
  const fmt = useFormats();
  const name = useName(props);
  const queries = useQueryClient();
  const present = common(props, (row) => row.every) ?? null;
  const [every, setEvery] = useState(present);
  const listed = FREQUENCIES.map(({ key, every: value }) => ({ value: value as number, label: t(`freq.${key}`) }));
  const isListed = present === null || listed.some(({ value }) => value === present);
  // An interval that came in by the API stays a choice.
  const choices = isListed ? listed : [{ value: present, label: intervalText(present, { t, fmt }) }, ...listed];
  const rates = common(props, (row) => row.searchConvertRate);
  // Undefined until it is edited: a stored rate may have decimals, and several terms several rates.
  const [rate, setRate] = useState<string>();
  const rateWrong = every === AUTO && rate !== undefined && !isRate(rate);
  const { mutate, isPending } = useChange(
    props,
    () => toast.success(t('updateDone')),
    (error) => {
      // The specification shows the first text on failure, too; the second one says how it ended.
      toast.success(t('updateDone'));
      toast.error(t('updateFailed'), errorText(error, commonTexts));
      void queries.invalidateQueries({ queryKey: settingTermsKey });
    },
  );
  const change = (chosen: number) =>
    chosen === AUTO && rate !== undefined
      ? { every: chosen, searchConvertRate: Number(rate) / 100 }
      : { every: chosen };
  const save = () => {
    if (every === null || rateWrong) return;
    mutate({ fields: change(every), shown: change(every) });
  };
  return (
    <FormModal
      title={t('title.frequency', { name })}
      submitLabel={t('apply', { count: countOf(props) })}
      saving={isPending}
      disabled={every === null}
      onSubmit={submitting(save)}
      onClose={props.onClose}
    >
      <WholeNote whole={props.whole} />
      <Radio.Group
        label={t('frequency')}
        description={t('perMonth')}
        value={every === null ? '' : String(every)}
        onChange={(value) => setEvery(Number(value))}
      >
        <div className={styles.choices}>
          {choices.map(({ value, label }) => (
            <div key={value} className={styles.choice} data-checked={value === every ? true : undefined}>
              <Radio
                value={String(value)}
                label={label}
                data-autofocus={value === (every ?? AUTO) ? true : undefined}
              />
              <span className={styles.figure}>
                {value === AUTO ? t('byVolume') : fmt.decimal(capturesPerMonth(value))}
              </span>
            </div>
          ))}
        </div>
      </Radio.Group>
      <RateField
        value={rate ?? (rates === undefined ? '' : String(Math.round(rates * 100)))}
        {...(rates === undefined && { placeholder: t('unchanged') })}
        disabled={every !== AUTO}
        error={rateWrong ? t('form.rateRange') : undefined}
        onChange={setRate}
      />
      {every !== null && <ChangeCost target={props} change={rateWrong ? { every } : change(every)} />}
    </FormModal>
  );
}

interface RateProps {
  value: string;
  placeholder?: string;
  disabled: boolean;
  error: string | undefined;
  onChange(digits: string): void;
}

/** The share of searches that auto captures, in percent. */
export function RateField({ value, placeholder, disabled, error, onChange }: RateProps) {
  const { t } = useTranslation('settingTerms');
  return (
    <TextInput
      label={t('form.rate')}
      description={t('form.rateHint')}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      inputMode="numeric"
      rightSection="%"
      data-path="rate"
      placeholder={placeholder}
      value={value}
      disabled={disabled}
      error={error}
      onChange={(event) => onChange(rateDigits(event.currentTarget.value))}
    />
  );
}
