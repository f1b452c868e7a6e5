import { dayjs, isDatePreset } from '~/lib/dates';
import type { Formats } from '~/lib/formats';
import type { Value, Where } from '~/lib/listSearch';
import { isRecord } from '~/lib/storage';
import type { FilterKindDef, Translate } from '../types';

/** Values named in a description; the rest are counted. */
const NAMED_VALUES = 2;

/**
 * Reads a filter's value from an address or from storage; undefined when it is invalid for this filter. Unknown options are dropped, a
 * reversed range is turned round, and numbers are clamped to the filter's range.
 */
export function parseWhere(def: FilterKindDef, raw: unknown): Where | undefined {
  if (!isRecord(raw)) return undefined;
  switch (def.kind) {
    case 'dateRange':
      return parseDates(raw);
    case 'range':
      return parseRange(raw, def.min, def.max);
    case 'text':
      return parseText(raw, ['contain', 'exclude']) ?? parseValues(raw, false);
    case 'choice': {
      const known = def.options.flatMap((option) => option.values ?? [option.value]);
      return parseValues(raw, def.exclude === true, (value) => known.includes(value));
    }
    case 'countries':
      return parseValues(raw, def.exclude === true, isCountry);
    case 'asyncChoice':
      return parseValues(raw, def.exclude === true);
    case 'chips':
      return (
        (def.contain && parseText(raw, def.exclude ? ['contain', 'exclude'] : ['contain'])) ||
        parseValues(raw, def.exclude === true)
      );
  }
}

/**
 * Reads a range of dates as ISO texts, with its preset if that is known; undefined unless both dates are valid. A reversed one is turned round and
 * widened to whole days.
 */
function parseDates({ type, value, preset }: Record<string, unknown>): Where | undefined {
  if (type !== 'between' || !isRecord(value)) return undefined;
  const [one, other] = [value.start, value.end].map((end) => dayjs(typeof end === 'string' ? end : Number.NaN));
  if (!one?.isValid() || !other?.isValid()) return undefined;
  // A reversed range of days is turned round, not dropped.
  const [start, end] = one.isAfter(other) ? [other.startOf('day'), one.endOf('day')] : [one, other];
  const span = { start: start.toISOString(), end: end.toISOString() };
  return isDatePreset(preset) ? { type, value: span, preset } : { type, value: span };
}

/** Reads a range of numbers, turned round if reversed and clamped to `min` and `max`; undefined unless both ends are numbers. */
function parseRange({ type, value }: Record<string, unknown>, min: number, max: number): Where | undefined {
  if (type !== 'between' || !isRecord(value)) return undefined;
  const { start, end } = value;
  if (typeof start !== 'number' || typeof end !== 'number') return undefined;
  const clamp = (edge: number) => Math.min(max, Math.max(min, edge));
  return { type, value: { start: clamp(Math.min(start, end)), end: clamp(Math.max(start, end)) } };
}

/** Reads a text, trimmed; undefined if it is blank or its type is not among `types`. */
function parseText({ type, value }: Record<string, unknown>, types: readonly unknown[]): Where | undefined {
  if ((type !== 'contain' && type !== 'exclude') || !types.includes(type)) return undefined;
  return typeof value === 'string' && value.trim() !== '' ? { type, value: value.trim() } : undefined;
}

/**
 * Reads a list of values and drops those that are not `known`; undefined if none is left, and for excluded values unless `exclude`. Labels
 * are kept only if every value has one.
 */
function parseValues(
  { type, value, labels }: Record<string, unknown>,
  exclude: boolean,
  known: (value: Value) => boolean = () => true,
): Where | undefined {
  if (type !== 'inq' && !(exclude && type === 'nin')) return undefined;
  if (!Array.isArray(value)) return undefined;
  const kept = value
    .map((entry, index) => ({ entry, label: Array.isArray(labels) ? labels[index] : undefined }))
    .filter(({ entry }) => isValue(entry) && known(entry));
  if (kept.length === 0) return undefined;
  const where: Where = { type: type === 'nin' ? 'nin' : 'inq', value: kept.map(({ entry }) => entry as Value) };
  return kept.every(({ label }) => typeof label === 'string')
    ? { ...where, labels: kept.map(({ label }) => label as string) }
    : where;
}

/** Any ISO 3166 alpha-2 code. */
const isCountry = (value: Value): boolean => typeof value === 'string' && /^[A-Z]{2}$/.test(value);

const isValue = (value: unknown): value is Value =>
  typeof value === 'number' || (typeof value === 'string' && value !== '');

/** The translators and formats that put the filters of a list into words. */
export interface ListTexts {
  /** Texts of the list itself. */
  own: Translate;
  /** Texts shared by all lists. */
  list: Translate;
  fmt: Formats;
}

/**
 * Describes a filter's value in words: a text, a preset or range (one day alone), or the first `NAMED_VALUES` values and how many more there are;
 * says so if it excludes.
 */
export function describeWhere(def: FilterKindDef, where: Where, { own, list, fmt }: ListTexts): string {
  switch (where.type) {
    case 'contain':
    case 'exclude':
      return list(`describe.${where.type}`, { value: where.value });
    case 'between': {
      if ('preset' in where && where.preset) return list(`date.${where.preset}`);
      const { start, end } = where.value;
      if (typeof start === 'number') return list('describe.span', { start, end });
      const [first, last] = [fmt.date(start), fmt.date(String(end))];
      return first === last ? first : list('describe.span', { start: first, end: last });
    }
    case 'inq':
    case 'nin': {
      const names = valueNames(def, where, own, fmt);
      const shown = names.slice(0, NAMED_VALUES).join(', ');
      const rest = names.length - NAMED_VALUES;
      const text = rest > 0 ? list('describe.more', { first: shown, count: rest }) : shown;
      return where.type === 'nin' ? list('describe.nin', { value: text }) : text;
    }
  }
}

/** The names of a filter's values, as far as known, else the values; one name if they are all the `values` of one option. */
function valueNames(
  def: FilterKindDef,
  where: Extract<Where, { type: 'inq' | 'nin' }>,
  own: Translate,
  fmt: Formats,
): string[] {
  if (def.kind === 'choice') {
    const whole = def.options.find((option) => option.values && sameValues(option.values, where.value));
    if (whole) return [own(whole.label)];
    return where.value.map((value) => {
      const option = def.options.find((candidate) => candidate.value === value);
      return option ? own(option.label) : String(value);
    });
  }
  if (def.kind === 'countries') return where.value.map((code) => fmt.country(String(code)));
  return where.value.map((value, index) => where.labels?.[index] ?? String(value));
}

/** The same values, in any order. */
export const sameValues = (one: readonly Value[], other: readonly Value[]): boolean =>
  one.length === other.length && one.every((value) => other.includes(value));
