import { describe, expect, it } from 'vitest';
import { splitPasted } from './pasted';

describe('a pasted text', () => {
  it('is split on pipe, tab, comma, semicolon and newline', () => {
    expect(splitPasted('a|b,c;d\te\nf\r\ng')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  });

  it('gives its values trimmed, in their order, without empty ones', () => {
    expect(splitPasted(' b ,a,, b|\n')).toEqual(['b', 'a', 'b']);
  });

  it('keeps spaces inside a value', () => {
    expect(splitPasted('acme shoes, acme outlet')).toEqual(['acme shoes', 'acme outlet']);
  });
});
