import { dayjs } from './dates';
import { placeName } from './places';

/** Any visibility above zero is shown as at least this, in percent. */
const VISIBILITY_FLOOR = 0.01;

/** Number and date formats of one language. */
export interface Formats {
  /** With thousands separators. */
  count(value: number): string;
  /** With thousands separators and at most one decimal. */
  decimal(value: number): string;
  /** A short number for chart axes: 1.2K. */
  compact(value: number): string;
  /** A share in percent with two decimals; anything above zero is at least 0.01%. */
  visibility(percent: number): string;
  /** A signed change against an earlier figure, with one decimal: +4.2%. */
  change(ratio: number): string;
  /** A share as whole percent, below one percent with one decimal: 38%. */
  share(ratio: number): string;
  /** A signed number without decimals: +1,240. */
  signed(value: number): string;
  /** A mean position with four decimals, as tables show it. */
  position(value: number): string;
  /** A signed number of points, with two decimals: +0.42. */
  points(value: number): string;
  /** The name of a day of the week, 1 for Monday. */
  weekday(day: number, length: 'short' | 'long'): string;
  /** A mean position with two decimals, as in the portal. */
  adPosition(value: number): string;
  /** 5 Jan 2026, 9:05:03: when an ad was seen. */
  adMoment(value: string | Date): string;
  /** The name of a language; its code if unknown. */
  language(code: string): string;
  /** The name of a country; its code if unknown. */
  country(code: string): string;
  /** A city or region. */
  place(name: string): string;
  /** DD/MM/YYYY in every language. */
  date(value: string | Date): string;
  /** DD/MM, with the year unless it is this one. */
  shortDate(value: string | Date): string;
  /** DD/MM/YYYY and the time of day. */
  dateTime(value: string | Date): string;
  /** DD/MM/YYYY and the time of day to the minute. */
  minute(value: string | Date): string;
  /** DD/MM/YYYY H:mm:ss, as in the sentence about a capture. */
  moment(value: string | Date): string;
  /** Hours and minutes: HH:mm. */
  time(value: number): string;
  /** '3 minutes ago', for a moment before `now`. */
  ago(value: string | Date, now: Date): string;
  /** '2 hr 5 min': a span in its two largest units, in whole seconds. */
  span(seconds: number): string;
  /** 23 Oct, for chart axes: day first, as in every date. */
  dayAndMonth(value: string | Date): string;
  /** 15, 30 and 45. */
  list(values: readonly string[]): string;
}

const STEPS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
const SPAN_PARTS = 2;

/** Any Monday, to name weekdays. */
const MONDAY = dayjs('2026-01-05');

const cache = new Map<string, Formats>();

/** The formats of a language, cached: `Intl` constructors are slow enough to matter in a table of 500 rows. */
export function formatsOf(language: string): Formats {
  const known = cache.get(language);
  if (known) return known;
  const made = makeFormats(language);
  cache.set(language, made);
  return made;
}

/** Makes the formats of a language; dates and times are those of the browser's time zone, and a code without a name in that language shows itself. */
function makeFormats(language: string): Formats {
  const fixed = (digits: number) =>
    new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const percent = (digits: number, signDisplay: 'auto' | 'exceptZero') =>
    new Intl.NumberFormat(language, {
      style: 'percent',
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
      signDisplay,
    });
  const count = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
  const decimal = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumFractionDigits: 1 });
  const visibility = percent(2, 'auto');
  const change = percent(1, 'exceptZero');
  const share = { whole: percent(0, 'auto'), small: percent(1, 'auto') };
  const signed = new Intl.NumberFormat(language, { maximumFractionDigits: 0, signDisplay: 'exceptZero' });
  const position = fixed(4);
  const adPosition = fixed(2);
  const points = new Intl.NumberFormat(language, {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
    signDisplay: 'exceptZero',
  });
  const weekday = (length: 'short' | 'long') => new Intl.DateTimeFormat(language, { weekday: length });
  const weekdays = { short: weekday('short'), long: weekday('long') };
  const month = new Intl.DateTimeFormat(language, { month: 'short' });
  const named = (type: 'language' | 'region') => {
    const names = new Intl.DisplayNames(language, { type });
    return (code: string) => {
      try {
        return names.of(code) ?? code;
      } catch {
        return code;
      }
    };
  };
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const all = new Intl.ListFormat(language);
  const unit = (name: string) => new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' });
  const units = { day: unit('day'), hour: unit('hour'), minute: unit('minute'), second: unit('second') };
  return {
    count: (value) => count.format(value),
    decimal: (value) => decimal.format(value),
    compact: (value) => compact.format(value),
    visibility: (value) => visibility.format((value > 0 ? Math.max(value, VISIBILITY_FLOOR) : 0) / 100),
    change: (ratio) => change.format(ratio),
    share: (ratio) => (ratio > 0 && ratio < 0.01 ? share.small : share.whole).format(ratio),
    signed: (value) => signed.format(value),
    position: (value) => position.format(value),
    points: (value) => points.format(value),
    weekday: (day, length) => weekdays[length].format(MONDAY.add(day - 1, 'day').toDate()),
    adPosition: (value) => adPosition.format(value),
    adMoment: (value) => {
      const at = dayjs(value);
      return `${at.date()} ${month.format(at.toDate())} ${at.format('YYYY, H:mm:ss')}`;
    },
    language: named('language'),
    country: named('region'),
    place: (name) => placeName(name, language),
    date: (value) => dayjs(value).format('DD/MM/YYYY'),
    shortDate: (value) => {
      const at = dayjs(value);
      return at.format(at.isSame(dayjs(), 'year') ? 'DD/MM' : 'DD/MM/YY');
    },
    dateTime: (value) => dayjs(value).format('DD/MM/YYYY HH:mm:ss'),
    minute: (value) => dayjs(value).format('DD/MM/YYYY HH:mm'),
    moment: (value) => dayjs(value).format('DD/MM/YYYY H:mm:ss'),
    time: (value) => dayjs(value).format('HH:mm'),
    ago: (value, now) => {
      const seconds = Math.round((new Date(value).getTime() - now.getTime()) / 1_000);
      const [unit, size] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? (['second', 1] as const);
      return relative.format(Math.trunc(seconds / size), unit);
    },
    span: (seconds) => {
      let rest = Math.max(0, Math.round(seconds));
      const first = STEPS.findIndex(([, size]) => rest >= size);
      if (first < 0) return units.second.format(0);
      const parts = STEPS.slice(first, first + SPAN_PARTS).map(([unit, size]) => {
        const whole = Math.floor(rest / size);
        rest -= whole * size;
        return whole > 0 ? units[unit].format(whole) : '';
      });
      return parts.filter(Boolean).join(' ');
    },
    dayAndMonth: (value) => {
      const at = dayjs(value);
      return `${at.date()} ${month.format(at.toDate())}`;
    },
    list: (values) => all.format(values),
  };
}
