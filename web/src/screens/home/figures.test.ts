import { describe, expect, it } from 'vitest';
import type { Stats } from '~/api/queries/home';
import { dayjs, lastPeriod } from '~/lib/dates';
import { changeOf, chartDays, shoppingShare } from './figures';

const stats = (data: Stats['data'], totalViews = 0): Stats => ({
  data,
  meta: {
    totalViews,
    totalAds: 0,
    totalDomains: 0,
    compared: {
      start: dayjs('2026-03-17').toISOString(),
      end: dayjs('2026-03-18T12:00:00').toISOString(),
      previousStart: dayjs('2026-03-15').toISOString(),
      previousEnd: dayjs('2026-03-16T12:00:00').toISOString(),
      unfinishedDay: '2026-03-18',
    },
  },
});

describe('the figures of the home page', () => {
  it('compare with the previous period where there is one', () => {
    expect(changeOf(150, 100)).toBe(0.5);
    expect(changeOf(50, 100)).toBe(-0.5);
    expect(changeOf(50, 0)).toBeUndefined();
    expect(changeOf(undefined, 100)).toBeUndefined();
  });

  it('split views into text and shopping', () => {
    expect(shoppingShare(stats([{ date: '2026-03-18', views: 10, ads: 6, shopping: 4 }], 10))).toBe(0.4);
    expect(shoppingShare(stats([]))).toBe(0);
  });

  it('have a row for every day, next to the matching day of the previous period', () => {
    const period = lastPeriod(2, dayjs('2026-03-18T12:00:00'));
    const now = stats([{ date: '2026-03-18', views: 5, ads: 3, shopping: 2 }]);
    const before = stats([{ date: '2026-03-15', views: 7, ads: 7, shopping: 0 }]);
    expect(chartDays(period, now, before)).toEqual([
      { date: '2026-03-17', text: 0, shopping: 0, previous: 7 },
      { date: '2026-03-18', text: 3, shopping: 2, previous: 0 },
    ]);
  });
});
