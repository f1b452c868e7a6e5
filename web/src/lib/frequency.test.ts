import { describe, expect, it } from 'vitest';
import { autoEvery, capturesPerMonth, FREQUENCIES } from './frequency';

const HOUR = 3_600_000;

describe('the frequencies', () => {
  it('are auto and eight intervals, in milliseconds', () => {
    expect(FREQUENCIES.map(({ every }) => every)).toEqual([
      0, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000, 259_200_000, 604_800_000, 2_635_200_000,
    ]);
  });

  it('come to as many captures as a month of 732 hours holds', () => {
    expect(capturesPerMonth(HOUR)).toBe(732);
    expect(capturesPerMonth(24 * HOUR)).toBe(30.5);
    expect(capturesPerMonth(732 * HOUR)).toBe(1);
  });
});

describe('auto', () => {
  it('rounds the share of the monthly searches up to the next interval', () => {
    expect(autoEvery(10_000, 0.05)).toBe(2 * HOUR);
    expect(autoEvery(14_640, 0.05)).toBe(HOUR);
  });

  it('captures at least once a month, at most every hour, and every day without statistics', () => {
    expect(autoEvery(0, 0.05)).toBe(732 * HOUR);
    expect(autoEvery(1_000_000, 1)).toBe(HOUR);
    expect(autoEvery(undefined, 0.05)).toBe(24 * HOUR);
  });
});
