import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Below this a percentage is likely to be meant as a share. */
const LOW_CTR = 0.5;

export interface Averages {
  averageCTR: string;
  averageCPC: string;
}

interface Props {
  values: Averages;
  onChange(values: Averages): void;
}

/** The averages of a keyword, kept as they are typed. */
export function AveragesFields({ values, onChange }: Props) {
  const { t } = useTranslation('stopGo');
  const ctr = Number(values.averageCTR.replace(',', '.'));
  const isLow = values.averageCTR.trim() !== '' && ctr > 0 && ctr < LOW_CTR;
  return (
    <>
      <TextInput
        label={t('averageCTR')}
        description={isLow ? t('ctrLow') : t('ctrHint')}
        inputMode="decimal"
        value={values.averageCTR}
        onChange={({ currentTarget }) => onChange({ ...values, averageCTR: currentTarget.value })}
      />
      <TextInput
        label={t('averageCPC')}
        description={t('cpcHint')}
        inputMode="decimal"
        value={values.averageCPC}
        onChange={({ currentTarget }) => onChange({ ...values, averageCPC: currentTarget.value })}
      />
    </>
  );
}
