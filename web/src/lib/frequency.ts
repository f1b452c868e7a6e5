const HOUR_MS = 3_600_000;
const MONTH_HOURS = 732;

/** How often a term can be captured, in milliseconds; 0 follows from its monthly searches. */
export const FREQUENCIES = [
  { key: 'auto', every: 0 },
  { key: '1h', every: HOUR_MS },
  { key: '2h', every: 2 * HOUR_MS },
  { key: '6h', every: 6 * HOUR_MS },
  { key: '12h', every: 12 * HOUR_MS },
  { key: '1d', every: 24 * HOUR_MS },
  { key: '3d', every: 72 * HOUR_MS },
  { key: '1w', every: 168 * HOUR_MS },
  { key: '1m', every: MONTH_HOURS * HOUR_MS },
] as const;

export const AUTO = 0;

/** What auto is for a term without search statistics. */
const AUTO_WITHOUT_STATISTICS = 24 * HOUR_MS;

/** The share of searches that auto captures unless another is set, in percent. */
export const DEFAULT_RATE = 5;

/** Delays between saved sets of organic results, in milliseconds. */
export const ORGANIC_DELAYS = [
  { key: '7d', delay: 168 * HOUR_MS },
  { key: '15d', delay: 360 * HOUR_MS },
  { key: '1m', delay: MONTH_HOURS * HOUR_MS },
] as const;

export const DEFAULT_ORGANIC_DELAY = 360 * HOUR_MS;

/** Captures of one term on one device in a day. */
export const capturesPerDay = (every: number): number => (24 * HOUR_MS) / every;

/** Captures of one term on one device in a month. */
export const capturesPerMonth = (every: number): number => (MONTH_HOURS * HOUR_MS) / every;

/** The interval that auto comes to: as many captures as a share of the monthly searches, rounded up to the next frequency on offer. */
export function autoEvery(monthlySearches: number | undefined, rate: number): number {
  if (monthlySearches === undefined) return AUTO_WITHOUT_STATISTICS;
  const captures = Math.min(Math.max(monthlySearches * rate, 1), MONTH_HOURS);
  const interval = (MONTH_HOURS * HOUR_MS) / captures;
  return FREQUENCIES.find(({ every }) => every !== AUTO && every >= interval)?.every ?? MONTH_HOURS * HOUR_MS;
}
