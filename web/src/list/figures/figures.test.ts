import { describe, expect, it } from 'vitest';
import type { RowFigures } from '~/api/queries/figures';
import { dayjs } from '~/lib/dates';
import type { ListSearch } from '~/lib/listSearch';
import { dailyViews, figuresOf } from './figures';

const search: ListSearch = {
  page: 1,
  perPage: 30,
  order: 'nbViews',
  direction: 'DESC',
  filters: {
    date: {
      type: 'between',
      value: { start: dayjs('2026-03-01').toISOString(), end: dayjs('2026-03-04').endOf('day').toISOString() },
    },
  },
};

describe('the figures beside a row', () => {
  it('have every day of the period, also those without views', () => {
    const days = [
      { date: '2026-03-01', views: 2 },
      { date: '2026-03-04', views: 5 },
    ];
    expect(dailyViews(search)(days)).toEqual([2, 0, 0, 5]);
    expect(dailyViews(search)([])).toEqual([0, 0, 0, 0]);
    expect(dailyViews({ ...search, filters: {} })([])).toEqual([]);
  });

  it('are drawn up to the day that is not over, and not beyond it', () => {
    const answer: RowFigures = {
      data: [{ id: 'a', days: [{ date: '2026-03-02', views: 4 }], previousViews: 3, capturesWith: 1, captures: 1 }],
      meta: {
        previousTotalViews: 3,
        compared: {
          start: dayjs('2026-03-01').toISOString(),
          end: dayjs('2026-03-02T14:30:00').toISOString(),
          previousStart: dayjs('2026-02-25').toISOString(),
          previousEnd: dayjs('2026-02-26T14:30:00').toISOString(),
          unfinishedDay: '2026-03-02',
        },
      },
    };
    expect(figuresOf(answer, search, () => 4, 4).get('a')).toMatchObject({ days: [0, 4], isRunning: true });
  });

  it('compare views and visibility with the period before', () => {
    const answer: RowFigures = {
      data: [
        { id: 'a', days: [], previousViews: 10, capturesWith: 3, captures: 4 },
        { id: 'new', days: [], previousViews: 0, capturesWith: 1, captures: 4 },
      ],
      meta: { previousTotalViews: 40, compared: null },
    };
    const figures = figuresOf(answer, search, (id) => (id === 'a' ? 15 : 5), 60);
    expect(figures.get('a')).toMatchObject({ views: 0.5, visibility: 0, seen: 3, captures: 4 });
    expect(figures.get('new')?.views).toBe('new');
    expect(figures.get('new')?.visibility).toBeCloseTo(8.33, 2);
  });

  it('compare nothing where the period before has no views', () => {
    const answer: RowFigures = {
      data: [{ id: 'a', days: [], previousViews: null, capturesWith: 0, captures: 0 }],
      meta: { previousTotalViews: null, compared: null },
    };
    const figures = figuresOf(answer, search, () => 1, 1);
    expect(figures.get('a')).toMatchObject({ views: undefined, visibility: undefined });
  });
});
