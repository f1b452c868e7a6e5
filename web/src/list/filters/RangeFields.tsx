import { RangeSlider, UnstyledButton } from '@mantine/core';
import { DatePicker } from '@mantine/dates';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DatePreset, dayjs, daySpan, presetSpan } from '~/lib/dates';
import { Calendars } from '~/ui/Calendars';
import type { DateRangeFilter, RangeFilter } from '../types';
import type { FieldProps } from './field';
import styles from './fields.module.css';

/** A day as YYYY-MM-DD; null while the range is open. */
type Day = string | null;

const dayOf = (instant: string): string => dayjs(instant).format('YYYY-MM-DD');

/** A range of whole days: a preset, or two clicks in a calendar, the first of which applies nothing. Weeks start on Monday. */
export function DateRangeField({ def, label, value, onChange }: FieldProps<DateRangeFilter>) {
  const { t } = useTranslation('list');
  const span = value?.type === 'between' && typeof value.value.start === 'string' ? value : undefined;
  const preset = span && 'preset' in span ? span.preset : undefined;
  const applied: [Day, Day] = span ? [dayOf(String(span.value.start)), dayOf(String(span.value.end))] : [null, null];
  const [picked, setPicked] = useState<[Day, Day]>(applied);
  const [start, end] = applied;
  useEffect(() => setPicked([start, end]), [start, end]);

  const pick = ([first, last]: [Day, Day]) => {
    setPicked([first, last]);
    // The first click only starts the range.
    if (first && last) onChange({ type: 'between', value: daySpan(dayjs(first), dayjs(last)) });
  };

  const choose = (name: DatePreset) => onChange({ type: 'between', value: presetSpan(name, dayjs()), preset: name });

  return (
    <fieldset className={styles.dates} aria-label={label}>
      <div className={styles.presets}>
        {def.presets.map((name) => (
          <UnstyledButton
            key={name}
            className={styles.preset}
            aria-pressed={name === preset}
            onClick={() => choose(name)}
          >
            <span className="sentence">{t(`date.${name}`)}</span>
          </UnstyledButton>
        ))}
      </div>
      <Calendars>
        <DatePicker
          type="range"
          allowSingleDateInRange
          hideOutsideDates
          classNames={{ day: styles.day ?? '' }}
          size="sm"
          key={start ?? 'none'}
          defaultDate={end ?? undefined}
          value={picked}
          onChange={pick}
          ariaLabels={{ nextMonth: t('nextMonth'), previousMonth: t('previousMonth') }}
        />
      </Calendars>
    </fieldset>
  );
}

/** A slider for a range of numbers, both ends included; the whole range means no filter. */
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
