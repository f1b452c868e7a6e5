import type { ListSearch, Where } from './listSearch';
import { isRecord } from './storage';

/** Periods the home page offers, in days; the second is the default. */
export const HOME_DAYS = [7, 30, 90] as const;
export const DEFAULT_DAYS = 30;

/** Filters of the home page, by their names on the lists of ads. */
const FILTERS = ['brandID', 'country', 'engine', 'device'] as const;

/** The state of the home page, which its address holds. */
export type HomeSearch = {
  days?: (typeof HOME_DAYS)[number];
  /** Limits the share of voice to one kind of ads. */
  kind?: 'ads' | 'shopping';
  brandID?: Where;
  country?: Where;
  engine?: Where;
  device?: Where;
};

/** Reads the state from an address; what it cannot read is left out. */
export function readHomeSearch(raw: Record<string, unknown>): HomeSearch {
  const days = HOME_DAYS.find((offered) => offered === Number(raw.days));
  const { kind } = raw;
  return {
    ...(days && { days }),
    ...((kind === 'ads' || kind === 'shopping') && { kind }),
    ...Object.fromEntries(FILTERS.flatMap((name) => (isChoice(raw[name]) ? [[name, raw[name]]] : []))),
  };
}

/** Whether a value chooses or excludes some values. */
function isChoice(raw: unknown): raw is Where {
  if (!isRecord(raw)) return false;
  const { type, value } = raw;
  const isValue = (one: unknown) => typeof one === 'number' || typeof one === 'string';
  return (type === 'inq' || type === 'nin') && Array.isArray(value) && value.length > 0 && value.every(isValue);
}

/** The filters of a state without its period, as the lists of ads take them. */
export const homeFilters = (search: HomeSearch): ListSearch['filters'] =>
  Object.fromEntries(
    FILTERS.flatMap((name) => {
      const where = search[name];
      return where ? [[name, where]] : [];
    }),
  );

/** The filter of one value. */
export const only = (value: string): Where => ({ type: 'inq', value: [value] });

/** The filters that cases share with ads, as the list of cases names them. */
export function caseFilters({ brandID, country, engine }: HomeSearch): ListSearch['filters'] {
  return {
    ...(brandID && { brandId: brandID }),
    ...(country && { country }),
    ...(engine && { provider: engine }),
  };
}
