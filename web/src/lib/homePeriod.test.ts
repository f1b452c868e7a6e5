import { describe, expect, it } from 'vitest';
import { dayjs } from './dates';
import { monthPeriod, sinceMonday } from './homePeriod';

describe('the period of the home page', () => {
  it('is, of a report, a month, or the last one that is over', () => {
    const february = monthPeriod('2026-02', dayjs('2026-11-18')).days;
    expect([february.length, february.at(0), february.at(-1)]).toEqual([28, '2026-02-01', '2026-02-28']);
    expect(monthPeriod(undefined, dayjs('2026-03-31T12:00:00')).days.at(-1)).toBe('2026-02-28');
  });

  it('looks back to last Monday, on a Monday to the one before', () => {
    const days = (now: string) => sinceMonday(dayjs(now)).days;
    expect(days('2026-11-18T10:00:00').at(0)).toBe('2026-11-16');
    expect(days('2026-11-18T10:00:00').at(-1)).toBe('2026-11-22');
    expect(days('2026-11-22T23:00:00').at(0)).toBe('2026-11-16');
    expect(days('2026-11-23T08:00:00').at(0)).toBe('2026-11-16');
    expect(days('2026-11-23T08:00:00').at(-1)).toBe('2026-11-22');
  });
});
