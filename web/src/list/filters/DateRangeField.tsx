import { UnstyledButton } from '@mantine/core';
import { DatePicker, DatesProvider } from '@mantine/dates';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DatePreset, dayjs, daySpan, presetSpan } from '~/lib/dates';
import type { DateRangeFilter } from '../types';
import type { FieldProps } from './FilterField';
import styles from './fields.module.css';
import '@mantine/dates/styles.layer.css';
import 'dayjs/locale/fr';

/** A day as the calendar writes it. */
type Day = string | null;

const dayOf = (instant: string): string => dayjs(instant).format('YYYY-MM-DD');

/** A range of days: a preset, or two clicks in a calendar whose weeks start on Monday. */
export function DateRangeField({ def, label, value, onChange }: FieldProps<DateRangeFilter>) {
  const { t, i18n } = useTranslation('list');
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
    else if (!first && !last) onChange(undefined);
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
      <DatesProvider settings={{ locale: i18n.language, firstDayOfWeek: 1, weekendDays: [] }}>
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
      </DatesProvider>
    </fieldset>
  );
}
