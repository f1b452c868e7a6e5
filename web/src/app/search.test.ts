import { describe, expect, it } from 'vitest';
import { parseSearch, stringifySearch } from './search';

describe('the address codec', () => {
  it('writes list keys and objects as JSON and all other text as it is', () => {
    const text = stringifySearch({
      page: 2,
      order: 'nbViews',
      lng: 'fr',
      redirect: '/domains?page=2',
      none: undefined,
    });
    expect(text).toBe('?page=2&order=%22nbViews%22&lng=fr&redirect=%2Fdomains%3Fpage%3D2');
  });

  it('reads back what it wrote', () => {
    const search = {
      page: 2,
      perPage: 'all',
      lng: 'en',
      domain: { type: 'inq', value: ['é|x', '662E41', '{'] },
      token: '1e5',
    };
    expect(parseSearch(stringifySearch(search))).toEqual(search);
  });

  it('takes JSON that is none for absent', () => {
    expect(parseSearch('?page=abc&domain={broken&lng=fr')).toEqual({ lng: 'fr' });
  });

  it('writes nothing for an empty search', () => {
    expect(stringifySearch({})).toBe('');
  });
});
