import { describe, expect, it } from 'vitest';
import { adTypeParam, domainParam } from './Capture';

describe('the ad in the address of a capture', () => {
  it('is a hostname or none', () => {
    for (const host of ['shop.example', 'www.Shop-1.example', 'bücher.example']) expect(domainParam(host)).toBe(host);
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
      expect(domainParam(text)).toBe('none');
  });

  it('is one of the two kinds of ads or none', () => {
    expect(['ads', 'shopping', 'foo', undefined].map(adTypeParam)).toEqual(['ads', 'shopping', 'none', 'none']);
  });
});
