import { describe, expect, it } from 'vitest';
import { dayjs } from './dates';
import { lastPeriod } from './period';

describe('a period of the home page', () => {
  const period = lastPeriod(7, dayjs('2026-03-18T23:30:00Z'));

  it('ends today, in UTC as the server counts', () => {
    expect(period.days).toHaveLength(7);
    expect(period.days.at(0)).toBe('2026-03-12');
    expect(period.days.at(-1)).toBe('2026-03-18');
    expect(period.span).toEqual({ start: '2026-03-12T00:00:00.000Z', end: '2026-03-18T23:59:59.999Z' });
  });

  it('follows a period of the same length without a gap', () => {
    expect(period.previousDays).toHaveLength(7);
    expect(period.previous).toEqual({ start: '2026-03-05T00:00:00.000Z', end: '2026-03-11T23:59:59.999Z' });
  });
});
