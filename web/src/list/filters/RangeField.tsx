import { RangeSlider } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RangeFilter } from '../types';
import type { FieldProps } from './FilterField';
import styles from './fields.module.css';

/** A range of numbers between two bounds; the whole range means no filter. */
export function RangeField({ def, label, value, onChange }: FieldProps<RangeFilter>) {
  const { t } = useTranslation('list');
  const { min, max, step } = def;
  const span = value?.type === 'between' && typeof value.value.start === 'number' ? value.value : undefined;
  const range: [number, number] = span ? [Number(span.start), Number(span.end)] : [min, max];
  return (
    <RangeSlider
      className={styles.slider}
      min={min}
      max={max}
      step={step}
      minRange={0}
      value={range}
      marks={[min, Math.round((min + max) / 2), max].map((at) => ({ value: at, label: at }))}
      thumbFromLabel={`${label}, ${t('from')}`}
      thumbToLabel={`${label}, ${t('to')}`}
      onChange={([start, end]) =>
        onChange(start === min && end === max ? undefined : { type: 'between', value: { start, end } })
      }
    />
  );
}
