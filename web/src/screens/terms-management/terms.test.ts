import { describe, expect, it } from 'vitest';
import { isRate, keywordsOf, rateDigits, tooLong } from './terms';

describe('entered keywords', () => {
  it('are split at tabs, commas, semicolons, pipes and line ends', () => {
    expect(keywordsOf(['a;b', 'c|d', 'e\tf,g\nh\r\ni']).keywords).toEqual([...'abcdefghi']);
  });

  it('are trimmed, without empty ones', () => {
    expect(keywordsOf([' a ,, a', ' red  shoes ']).keywords).toEqual(['a', 'red  shoes']);
  });

  it('are kept once, in any case and spacing, in the first writing', () => {
    expect(keywordsOf(['Red Shoes', 'red  shoes, RED SHOES', 'blue'])).toEqual({
      keywords: ['Red Shoes', 'blue'],
      duplicates: 2,
    });
  });

  it('have 80 characters at most', () => {
    expect(tooLong(['é'.repeat(80), 'short'])).toBeUndefined();
    expect(tooLong(['short', '🙂'.repeat(81)])).toBe('🙂'.repeat(81));
  });
});

describe('a rate', () => {
  it('takes three digits and nothing else', () => {
    expect(rateDigits('12a34')).toBe('123');
    expect(rateDigits('-5.5 %')).toBe('55');
  });

  it('is a percentage from 1 to 100', () => {
    expect(['', '0', '101', '999'].filter(isRate)).toEqual([]);
    expect(['1', '5', '100'].filter(isRate)).toEqual(['1', '5', '100']);
  });
});
