import { describe, expect, it } from 'vitest';
import { splitPasted } from './TextFields';

describe('a pasted text', () => {
  it('is split on pipe, tab, comma, semicolon and newline', () => {
    expect(splitPasted('a|b,c;d\te\nf\r\ng')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  it('gives each value once, trimmed, in its order', () => {
    expect(splitPasted(' b ,a,, b|\n')).toEqual(['b', 'a']);
  });

  it('keeps spaces inside a value', () => {
    expect(splitPasted('acme shoes, acme outlet')).toEqual(['acme shoes', 'acme outlet']);
  });
});
