import utc from 'dayjs/plugin/utc';
import { type DateSpan, type Dayjs, dayjs } from './dates';

dayjs.extend(utc);

/** A run of days as the server counts them, in UTC, with the run of the same length before it. */
export interface Period {
  span: DateSpan;
  previous: DateSpan;
  /** Each day of the period as YYYY-MM-DD. */
  days: string[];
  previousDays: string[];
}

/** The last `length` days; today is the last of them. */
export function lastPeriod(length: number, now: Dayjs): Period {
  const today = now.utc().startOf('day');
  const run = (last: Dayjs) => Array.from({ length }, (_, index) => last.subtract(length - 1 - index, 'day'));
  const span = (days: Dayjs[]): DateSpan => ({
    start: (days.at(0) ?? today).toISOString(),
    end: (days.at(-1) ?? today).endOf('day').toISOString(),
  });
  const current = run(today);
  const before = run(today.subtract(length, 'day'));
  const names = (days: Dayjs[]) => days.map((day) => day.format('YYYY-MM-DD'));
  return { span: span(current), previous: span(before), days: names(current), previousDays: names(before) };
}
