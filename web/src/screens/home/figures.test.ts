import { describe, expect, it } from 'vitest';
import type { ShareOfVoice } from '~/api/queries/home';
import { dayjs } from '~/lib/dates';
import { changeOf, pointsOf, roundTicks, shareOf, voiceDays } from './figures';

const day = (date: string, views: number) => ({ date, views });
const all = (date: string, views: number) => ({ date, views, ads: views, shopping: 0 });

const found: ShareOfVoice = {
  data: [
    {
      domains: ['acme.example'],
      own: true,
      views: 30,
      previousViews: 5,
      days: [day('2026-03-17', 20), day('2026-03-18', 10)],
      previousDays: [day('2026-03-15', 5)],
    },
    {
      domains: ['bolt.example'],
      own: false,
      views: 30,
      previousViews: 0,
      days: [day('2026-03-18', 30)],
      previousDays: [],
    },
  ],
  meta: {
    total: { domains: 2, ads: 4, views: 80 },
    previous: { domains: 1, ads: 1, views: 10 },
    days: [all('2026-03-17', 40), all('2026-03-18', 40)],
    previousDays: [all('2026-03-15', 10)],
    compared: {
      start: dayjs('2026-03-17').toISOString(),
      end: dayjs('2026-03-18T12:00:00').toISOString(),
      previousStart: dayjs('2026-03-15').toISOString(),
      previousEnd: dayjs('2026-03-16T12:00:00').toISOString(),
      unfinishedDay: '2026-03-18',
    },
  },
};

describe('the figures of the home page', () => {
  it('compare with the previous period where there is one', () => {
    expect(changeOf(150, 100)).toBe(0.5);
    expect(changeOf(50, 100)).toBe(-0.5);
    expect(changeOf(50, 0)).toBeUndefined();
    expect(changeOf(undefined, 100)).toBeUndefined();
  });

  it('are shares of all views, and none of nothing', () => {
    expect(shareOf(1, 4)).toBe(25);
    expect(shareOf(0, 0)).toBeUndefined();
    const [own, other] = found.data;
    expect(own && pointsOf(own, found.meta)).toBe(-12.5);
    expect(other && pointsOf(other, found.meta)).toBe(37.5);
  });

  it('draw the day that is not over apart, beside the matching day of the previous period', () => {
    expect(voiceDays(['2026-03-17', '2026-03-18'], found)).toEqual([
      { date: '2026-03-17', views: 40, shares: [50, 0], running: [50, 0], previous: 50, isRunning: false },
      {
        date: '2026-03-18',
        views: 40,
        shares: [undefined, undefined],
        running: [25, 75],
        previous: undefined,
        isRunning: true,
      },
    ]);
  });

  it('have round values on their axes', () => {
    expect(roundTicks(36.6, 4)).toEqual([0, 10, 20, 30, 40]);
    expect(roundTicks(41, 4)).toEqual([0, 20, 40, 60]);
    expect(roundTicks(100, 4)).toEqual([0, 25, 50, 75, 100]);
    expect(roundTicks(0, 4)).toEqual([0, 0.025]);
    expect(roundTicks(34, 2, true)).toEqual([0, 20, 40]);
    expect(roundTicks(1, 2, true)).toEqual([0, 1]);
    expect(roundTicks(0, 2, true)).toEqual([0, 1]);
    expect(roundTicks(1690, 2, true)).toEqual([0, 1000, 2000]);
  });
});
