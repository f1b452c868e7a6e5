import { describe, expect, it } from 'vitest';
import { isUncertain, strengthOf } from './Hours';

describe('the strength of an hour', () => {
  it('grows with the share and with the captures that it stands on', () => {
    expect(strengthOf(1, 1)).toBeLessThan(strengthOf(9, 10));
    expect(strengthOf(9, 10)).toBeLessThan(strengthOf(90, 100));
    expect(strengthOf(50, 100)).toBeLessThan(strengthOf(90, 100));
  });

  it('is that of the share where captures are many, and nothing where none shows an ad', () => {
    expect(strengthOf(80_000, 100_000)).toBeCloseTo(0.8, 2);
    expect(strengthOf(0, 50)).toBeCloseTo(0, 10);
    expect(strengthOf(0, 0)).toBe(0);
  });

  it('is uncertain below five captures', () => {
    expect([1, 4, 5].map(isUncertain)).toEqual([true, true, false]);
  });
});
