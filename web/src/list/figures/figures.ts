import type { RowFigures } from '~/api/queries/figures';
import { dayjs } from '~/lib/dates';
import type { ListSearch } from '~/lib/listSearch';

/** The figures beside one row. */
export interface Figures {
  /** Views per day of the list's period. */
  days: readonly number[];
  /** Whether the last of these days is unfinished. */
  isRunning: boolean;
  /** Change of views against the comparable part of the previous period, as a ratio; 'new' without views then, undefined if no row had any. */
  views: number | 'new' | undefined;
  /** Change of its share of all views, in percentage points. */
  visibility: number | undefined;
  /** Captures that show it, out of `captures` that could have. */
  seen: number;
  captures: number;
}

/** Figures by row id, as a store: a cell draws itself again when they come, whether the grid was ready before or not. */
export interface FiguresStore {
  /** Undefined while loading; the same object until others come. */
  of(id: string): Figures | undefined;
  /** Calls `changed` after every answer, until the returned function is called. */
  subscribe(changed: () => void): () => void;
}

/** A longer period shows its last days only. */
const MAX_DAYS = 92;

interface DayViews {
  date: string;
  views: number;
}

/** The days of a period as YYYY-MM-DD, both ends included; the last MAX_DAYS of a longer one, none without two valid ends in order. */
function daysBetween(start: unknown, end: unknown): string[] {
  const [first, last] = [start, end].map((day) => dayjs(day === undefined ? Number.NaN : String(day)));
  if (!first?.isValid() || !last?.isValid()) return [];
  const count = Math.min(MAX_DAYS, last.startOf('day').diff(first.startOf('day'), 'day') + 1);
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    last.subtract(count - 1 - index, 'day').format('YYYY-MM-DD'),
  );
}

/**
 * Makes a function that fills a row's views up to one value per day, 0 on other days: over the list's period, whose end `until` replaces so
 * that nothing is drawn of future days, or without a date filter over the row's own days. The days are computed once for all rows.
 */
export function dailyViews(search: ListSearch, until?: string): (views: readonly DayViews[]) => number[] {
  const period = search.filters.date;
  const days = period?.type === 'between' && daysBetween(period.value.start, until ?? period.value.end);
  return (views) => {
    const known = new Map(views.map(({ date, views }) => [date, views]));
    return (days || daysBetween(views[0]?.date, views.at(-1)?.date)).map((day) => known.get(day) ?? 0);
  };
}

/**
 * The figures of the rows in an answer, keyed by row id. `views` is the relative change (0.1 is 10 % more), `'new'` for a row without
 * earlier views; `visibility` is a difference in percentage points. Both are undefined when no row had views before. `search` only sets the
 * days of the daily views.
 */
export function figuresOf(
  { data, meta }: RowFigures,
  search: ListSearch,
  viewsOf: (id: string) => number,
  total: number,
): Map<string, Figures> {
  const before = meta.previousTotalViews ?? 0;
  const ofDays = dailyViews(search, meta.compared?.end);
  const isRunning = meta.compared?.unfinishedDay != null;
  return new Map(
    data.map((row) => {
      const views = viewsOf(row.id);
      const earlier = row.previousViews ?? 0;
      const share = total > 0 ? (views / total) * 100 : 0;
      const figures: Figures = {
        days: ofDays(row.days),
        isRunning,
        views: earlier > 0 ? views / earlier - 1 : before > 0 ? 'new' : undefined,
        visibility: before > 0 ? share - (earlier / before) * 100 : undefined,
        seen: row.capturesWith,
        captures: row.captures,
      };
      return [row.id, figures];
    }),
  );
}
