import { describe, expect, it } from 'vitest';
import { hoursOver, peakOf, worstOf } from './capacity';

const route = (planned: number[], over: number) => ({ planned, perMinute: 1, over });
const fits = route([60, 0, 12], 0);
const late = route([10, 90, 75, 20], 45);

describe('what is planned on a route', () => {
  it('has its peak in the fullest hour', () => {
    expect(peakOf(fits)).toEqual({ hour: 0, share: 1 });
    expect(peakOf(late)).toEqual({ hour: 1, share: 1.5 });
  });

  it('is over what may be asked in these hours', () => {
    expect(hoursOver(fits)).toEqual([]);
    expect(hoursOver(late)).toEqual([1, 2]);
  });

  it('is worst where most captures do not fit', () => {
    expect(worstOf([fits], '2026-03-02T08:00:00Z')).toBeUndefined();
    expect(worstOf([route([61], 1), fits, late], '2026-03-02T08:00:00Z')).toEqual({
      route: late,
      from: new Date('2026-03-02T09:00:00Z'),
      to: new Date('2026-03-02T11:00:00Z'),
    });
  });
});
