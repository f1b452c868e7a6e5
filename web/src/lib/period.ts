import { type DateSpan, type Dayjs, daySpan } from './dates';

/** A run of days in the reader's time zone. */
export interface Period {
  span: DateSpan;
  /** Each day of the period as YYYY-MM-DD. */
  days: string[];
}

/** The last `length` days; today is the last of them. */
export function lastPeriod(length: number, now: Dayjs): Period {
  const days = Array.from({ length }, (_, index) => now.subtract(length - 1 - index, 'day'));
  return { span: daySpan(days.at(0) ?? now, now), days: days.map((day) => day.format('YYYY-MM-DD')) };
}
