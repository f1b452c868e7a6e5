import { expect, it } from 'vitest';
import { dayjs } from './dates';
import { lastPeriod } from './period';

it('a period of the home page ends today, where the reader is', () => {
  const now = dayjs('2026-03-18T23:30:00');
  const period = lastPeriod(7, now);
  expect(period.days).toHaveLength(7);
  expect(period.days.at(0)).toBe('2026-03-12');
  expect(period.days.at(-1)).toBe('2026-03-18');
  expect(period.span.start).toBe(dayjs('2026-03-12').toISOString());
  expect(period.span.end).toBe(now.endOf('day').toISOString());
});
