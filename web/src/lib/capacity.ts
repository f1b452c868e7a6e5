const MINUTES_AN_HOUR = 60;
const HOUR_MS = 3_600_000;

/** What is planned on one route in each hour from now on, and how many captures may be asked a minute. */
export interface RoutePlan {
  planned: readonly number[];
  perMinute: number;
  /** Captures that do not fit their hour. */
  over: number;
}

/** Captures that may be asked in an hour. */
export const limitOf = ({ perMinute }: RoutePlan): number => perMinute * MINUTES_AN_HOUR;

export const sumOf = (figures: readonly number[]): number => figures.reduce((sum, figure) => sum + figure, 0);

/** When an hour of the plan begins that was made at `asOf`. */
export const hourStart = (asOf: string, hour: number): Date => new Date(new Date(asOf).getTime() + hour * HOUR_MS);

/** The hour with most captures, as its place, and its share of what may be asked. */
export function peakOf(route: RoutePlan): { hour: number; share: number } {
  const most = Math.max(...route.planned);
  return { hour: route.planned.indexOf(most), share: most / limitOf(route) };
}

/** Captures of an hour that do not fit it. */
export const overInHour = (route: RoutePlan, hour: number): number =>
  Math.max(0, (route.planned[hour] ?? 0) - limitOf(route));

/** The hours that do not fit. */
export const hoursOver = (route: RoutePlan): number[] =>
  route.planned.flatMap((_, hour) => (overInHour(route, hour) > 0 ? [hour] : []));

/** The route with most captures that do not fit, and when its hours that do not begin and end; undefined where everything fits. */
export function worstOf<Route extends RoutePlan>(
  routes: readonly Route[],
  asOf: string,
): { route: Route; from: Date; to: Date } | undefined {
  const [route] = routes.filter(({ over }) => over > 0).sort((one, other) => other.over - one.over);
  if (!route) return undefined;
  const hours = hoursOver(route);
  return { route, from: hourStart(asOf, hours[0] ?? 0), to: hourStart(asOf, (hours.at(-1) ?? 0) + 1) };
}
