import type { Stats } from '~/api/queries/home';
import type { Period } from '~/lib/dates';
import { dayjs } from '~/lib/dates';

/** The relative change of a figure (0.5 is 50 % more); undefined without an earlier value or from zero. */
export const changeOf = (current: number | undefined, previous: number | undefined): number | undefined =>
  current === undefined || !previous ? undefined : (current - previous) / previous;

/** The views of shopping ads as a share of all views, from 0 to 1; 0 without views. */
export function shoppingShare({ data, meta }: Stats): number {
  const shopping = data.reduce((sum, day) => sum + day.shopping, 0);
  return meta.totalViews > 0 ? shopping / meta.totalViews : 0;
}

export interface ChartDay {
  date: string;
  text: number;
  shopping: number;
  /** All views of the day in the previous period. */
  previous: number;
}

/**
 * The views of every day of the period, beside all views of the day at the same place in the previous period; 0 where there are none or they are
 * unknown.
 */
export function chartDays(period: Period, current: Stats, previous: Stats | undefined): ChartDay[] {
  const currentDays = new Map(current.data.map((day) => [day.date, day]));
  const previousViews = new Map(previous?.data.map((day) => [day.date, day.views]));
  const previousStart = previous?.meta.compared?.previousStart;
  return period.days.map((date, index) => ({
    date,
    text: currentDays.get(date)?.ads ?? 0,
    shopping: currentDays.get(date)?.shopping ?? 0,
    previous: (previousStart && previousViews.get(dayjs(previousStart).add(index, 'day').format('YYYY-MM-DD'))) || 0,
  }));
}
