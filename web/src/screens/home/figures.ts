import type { Stats } from '~/api/queries/home';
import type { Period } from '~/lib/dates';
import { dayjs } from '~/lib/dates';

/** The change of a figure against an earlier one; undefined when there is nothing to compare with. */
export const changeOf = (now: number | undefined, before: number | undefined): number | undefined =>
  now === undefined || !before ? undefined : (now - before) / before;

/** The part of all views that are of shopping ads. */
export function shoppingShare({ data, meta }: Stats): number {
  const shopping = data.reduce((sum, day) => sum + day.shopping, 0);
  return meta.totalViews > 0 ? shopping / meta.totalViews : 0;
}

/** One day of the chart. */
export interface ChartDay {
  date: string;
  text: number;
  shopping: number;
  /** All views of the day that it is compared with. */
  previous: number;
}

/** Every day of the period, also those without a view, each beside the day as far into the time that it is compared with. */
export function chartDays(period: Period, now: Stats, before: Stats | undefined): ChartDay[] {
  const current = new Map(now.data.map((day) => [day.date, day]));
  const earlier = new Map(before?.data.map((day) => [day.date, day.views]));
  const first = before?.meta.compared?.previousStart;
  return period.days.map((date, index) => ({
    date,
    text: current.get(date)?.ads ?? 0,
    shopping: current.get(date)?.shopping ?? 0,
    previous: (first && earlier.get(dayjs(first).add(index, 'day').format('YYYY-MM-DD'))) || 0,
  }));
}
