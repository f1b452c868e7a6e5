import { type DateSpan, type Dayjs, dayjs, daySpan, lastPeriod, type Period } from './dates';
import type { ListSearch } from './listSearch';

/** The filter on a period. */
export const within = (span: DateSpan): ListSearch['filters'] => ({ date: { type: 'between', value: span } });

/** The filter on one day, `YYYY-MM-DD`. */
export const onDay = (day: string): ListSearch['filters'] => within(daySpan(dayjs(day), dayjs(day)));

/** The days of a month, `YYYY-MM`, or of the last one that is over. */
export function monthPeriod(month: string | undefined, now: Dayjs): Period {
  const first = month ? dayjs(`${month}-01`) : now.subtract(1, 'month').startOf('month');
  return lastPeriod(first.daysInMonth(), first.endOf('month'));
}

/** The week that began last Monday; on a Monday, the week before. */
export function sinceMonday(now: Dayjs): Period {
  const monday = now.startOf('isoWeek');
  return lastPeriod(7, now.isSame(monday, 'day') ? now.subtract(1, 'day') : now.endOf('isoWeek'));
}
