import { describe, expect, it } from 'vitest';
import { soughtDomain, soughtKind } from './sought';

describe('what is looked for on a captured page', () => {
  it('is a hostname or none', () => {
    for (const host of ['shop.example', 'www.Shop-1.example', 'bücher.example']) expect(soughtDomain(host)).toBe(host);
    for (const text of [
      undefined,
      '',
      'shop',
      '<script>',
      'a.example/path',
      'https://a.example',
      '-a.example',
      'a-.example',
      'a..example',
      `${'a'.repeat(64)}.example`,
    ])
      expect(soughtDomain(text)).toBe('none');
  });

  it('is one of the two kinds of ads or none', () => {
    expect(['ads', 'shopping', 'foo', undefined].map(soughtKind)).toEqual(['ads', 'shopping', 'none', 'none']);
  });
});
