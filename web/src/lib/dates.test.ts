import { describe, expect, it } from 'vitest';
import { type DatePreset, dayjs, isDatePreset, lastPeriod, presetSpan } from './dates';

// A Wednesday.
const NOW = dayjs('2026-03-18T15:04:05');

const days = (preset: DatePreset) => {
  const { start, end } = presetSpan(preset, NOW);
  return [dayjs(start).format('YYYY-MM-DD HH:mm:ss.SSS'), dayjs(end).format('YYYY-MM-DD HH:mm:ss.SSS')];
};

describe('date presets', () => {
  it.each<[DatePreset, string, string]>([
    ['today', '2026-03-18', '2026-03-18'],
    ['yesterday', '2026-03-17', '2026-03-17'],
    ['thisWeek', '2026-03-16', '2026-03-22'],
    ['last7', '2026-03-12', '2026-03-18'],
    ['last30', '2026-02-17', '2026-03-18'],
    ['last60', '2026-01-18', '2026-03-18'],
    ['last90', '2025-12-19', '2026-03-18'],
    ['thisMonth', '2026-03-01', '2026-03-31'],
    ['lastMonth', '2026-02-01', '2026-02-28'],
  ])('%s runs from the start of %s to the end of %s', (preset, first, last) => {
    expect(days(preset)).toEqual([`${first} 00:00:00.000`, `${last} 23:59:59.999`]);
  });

  it('starts the week on Monday also on a Sunday', () => {
    const { start } = presetSpan('thisWeek', dayjs('2026-03-22T10:00:00'));
    expect(dayjs(start).format('YYYY-MM-DD')).toBe('2026-03-16');
  });

  it('keeps whole days over a change of the clock', () => {
    const { start, end } = presetSpan('last7', dayjs('2026-03-31T12:00:00'));
    expect([dayjs(start).format('DD HH:mm'), dayjs(end).format('DD HH:mm')]).toEqual(['25 00:00', '31 23:59']);
  });

  it('knows its own names only', () => {
    expect(isDatePreset('last7')).toBe(true);
    expect(isDatePreset('last8')).toBe(false);
    expect(isDatePreset(7)).toBe(false);
  });
});

it('a period of the home page ends today, where the reader is', () => {
  const now = dayjs('2026-03-18T23:30:00');
  const period = lastPeriod(7, now);
  expect(period.days).toHaveLength(7);
  expect(period.days.at(0)).toBe('2026-03-12');
  expect(period.days.at(-1)).toBe('2026-03-18');
  expect(period.span.start).toBe(dayjs('2026-03-12').toISOString());
  expect(period.span.end).toBe(now.endOf('day').toISOString());
});
