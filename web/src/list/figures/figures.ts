import type { RowFigures } from '~/api/queries/figures';
import { dayjs } from '~/lib/dates';
import type { ListSearch } from '~/lib/listSearch';

/** What stands beside one row. */
export interface Figures {
  /** Views of each day of the list's period, first day first. */
  days: readonly number[];
  /** Whether the last of these days is not over. */
  isRunning: boolean;
  /** The change of its views against as much of the period before, as a ratio, or that it had none then; undefined where nothing was seen before at all. */
  views: number | 'new' | undefined;
  /** The change of its part of all views, in points of a percent. */
  visibility: number | undefined;
  /** Captures that show it, of all that could have. */
  seen: number;
  captures: number;
}

/** Days of a sparkline at most; a longer period is drawn from its last days. */
const MOST_DAYS = 92;

interface DayViews {
  date: string;
  views: number;
}

/** Every day between two, both included, as the server writes them; the last ones of a long time. */
function daysBetween(start: unknown, end: unknown): string[] {
  const [first, last] = [start, end].map((day) => dayjs(day === undefined ? Number.NaN : String(day)));
  if (!first?.isValid() || !last?.isValid()) return [];
  const count = Math.min(MOST_DAYS, last.startOf('day').diff(first.startOf('day'), 'day') + 1);
  return Array.from({ length: Math.max(0, count) }, (_, index) =>
    last.subtract(count - 1 - index, 'day').format('YYYY-MM-DD'),
  );
}

/**
 * Gives a row's views of each day of the list's period, days without any among them, as far as `until`: nothing is drawn of days to come. The
 * days are the same for all rows, and counted once.
 */
export function everyDay(search: ListSearch, until?: string): (views: readonly DayViews[]) => number[] {
  const period = search.filters.date;
  const days = period?.type === 'between' && daysBetween(period.value.start, until ?? period.value.end);
  return (views) => {
    const known = new Map(views.map(({ date, views }) => [date, views]));
    return (days || daysBetween(views[0]?.date, views.at(-1)?.date)).map((day) => known.get(day) ?? 0);
  };
}

/** The figures of an answer by row, compared with the views of the rows as they are shown. */
export function figuresOf(
  { data, meta }: RowFigures,
  search: ListSearch,
  viewsOf: (id: string) => number,
  total: number,
): Map<string, Figures> {
  const before = meta.previousTotalViews ?? 0;
  const ofDays = everyDay(search, meta.compared?.end);
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
