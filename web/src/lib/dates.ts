import type { Dayjs } from 'dayjs';
import dayjs from 'dayjs';
import isoWeek from 'dayjs/plugin/isoWeek';

dayjs.extend(isoWeek);

export { type Dayjs, dayjs };

/** All date presets; each list offers some of them. */
export const DATE_PRESETS = [
  'today',
  'yesterday',
  'thisWeek',
  'last7',
  'last30',
  'last60',
  'last90',
  'thisMonth',
  'lastMonth',
] as const;

export type DatePreset = (typeof DATE_PRESETS)[number];

/** A range of instants in ISO format, both ends included. */
export interface DateSpan {
  start: string;
  end: string;
}

/** From the first millisecond of one day to the last of another, in the browser's time zone. */
export const daySpan = (first: Dayjs, last: Dayjs): DateSpan => ({
  start: first.startOf('day').toISOString(),
  end: last.endOf('day').toISOString(),
});

/** The last `days` days, up to today. */
export const lastDays = (days: number, now: Dayjs): DateSpan => daySpan(now.subtract(days - 1, 'day'), now);

/** The span of a preset at `now`, in whole days of the browser's time zone. This week (from Monday) and this month reach to their end. */
export function presetSpan(preset: DatePreset, now: Dayjs): DateSpan {
  switch (preset) {
    case 'today':
      return daySpan(now, now);
    case 'yesterday': {
      const day = now.subtract(1, 'day');
      return daySpan(day, day);
    }
    case 'thisWeek':
      return daySpan(now.startOf('isoWeek'), now.endOf('isoWeek'));
    case 'last7':
      return lastDays(7, now);
    case 'last30':
      return lastDays(30, now);
    case 'last60':
      return lastDays(60, now);
    case 'last90':
      return lastDays(90, now);
    case 'thisMonth':
      return daySpan(now.startOf('month'), now.endOf('month'));
    case 'lastMonth': {
      const month = now.subtract(1, 'month');
      return daySpan(month.startOf('month'), month.endOf('month'));
    }
  }
}

export const isDatePreset = (value: unknown): value is DatePreset => DATE_PRESETS.some((preset) => preset === value);

/** A period of days in the browser's time zone. */
export interface Period {
  span: DateSpan;
  /** Each day of the period as YYYY-MM-DD. */
  days: string[];
}

/** The last `length` days, up to today. */
export function lastPeriod(length: number, now: Dayjs): Period {
  const days = Array.from({ length }, (_, index) => now.subtract(length - 1 - index, 'day'));
  return { span: daySpan(days.at(0) ?? now, now), days: days.map((day) => day.format('YYYY-MM-DD')) };
}
