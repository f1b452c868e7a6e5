import { describe, expect, it } from 'vitest';
import { parseSearch, stringifySearch } from '~/app/search';
import type { ListSearch } from '~/lib/listSearch';
import {
  hasListKeys,
  parseListSearch,
  sameAddress,
  toAddress,
  withFilter,
  withPage,
  withPerPage,
  withSort,
} from './address';

const def = {
  filters: {
    domain: { kind: 'chips', label: 'domain', group: 'g' },
    adTitle: { kind: 'text', label: 'title', group: 'g' },
  },
  sorts: ['nbViews', 'domain'],
  perPage: [30, 100, 'all'],
} as const;

const defaults: ListSearch = { page: 1, perPage: 30, order: 'nbViews', direction: 'DESC', filters: {} };
const search: ListSearch = {
  page: 2,
  perPage: 100,
  order: 'domain',
  direction: 'ASC',
  filters: { domain: { type: 'inq', value: ['a.example', '662E41'] } },
};

describe('a list in its address', () => {
  it('comes back as it went, with one JSON key each', () => {
    const text = stringifySearch(toAddress(search));
    const query = new URLSearchParams(text);
    expect([...query.keys()]).toEqual(['page', 'perPage', 'order', 'direction', 'domain']);
    for (const value of query.values()) expect(() => JSON.parse(value)).not.toThrow();
    expect(parseListSearch(def, parseSearch(text), defaults)).toEqual(search);
  });

  it('drops silently what cannot be read', () => {
    const raw = parseSearch('?page=-3&perPage=7&order="password"&direction="UP"&domain={broken&adTitle=plain&other=1');
    expect(parseListSearch(def, raw, defaults)).toEqual(defaults);
  });

  it('sorts upwards when an address names a column and no direction', () => {
    expect(parseListSearch(def, { order: 'domain' }, defaults)).toMatchObject({ order: 'domain', direction: 'ASC' });
  });

  it('has the order of an unsorted list where its address names none, and that of a first visit without any key', () => {
    const byDomain = { ...def, unsorted: { order: 'domain', direction: 'DESC' } } as const;
    expect(parseListSearch(byDomain, { page: 2 }, defaults)).toMatchObject(byDomain.unsorted);
    expect(parseListSearch(byDomain, { page: 2, order: 'nbViews' }, defaults)).toMatchObject({ order: 'nbViews' });
    expect(parseListSearch(byDomain, { lng: 'fr' }, defaults)).toMatchObject({ order: 'nbViews', direction: 'DESC' });
    expect(parseListSearch(def, { page: 2 }, defaults)).toMatchObject({ order: 'nbViews' });
  });

  it('is named by any of its keys and by nothing else', () => {
    expect(hasListKeys(def, { page: 2 })).toBe(true);
    expect(hasListKeys(def, { adTitle: {} })).toBe(true);
    expect(hasListKeys(def, { lng: 'fr', redirect: '/' })).toBe(false);
  });

  it('is the same whatever the order of its keys', () => {
    expect(sameAddress({ a: 1, b: { c: 2 } }, { b: { c: 2 }, a: 1, d: undefined })).toBe(true);
    expect(sameAddress({ a: 1 }, { a: 2 })).toBe(false);
  });
});

describe('changing a list', () => {
  it('keeps everything when only the page changes', () => {
    expect(withPage(search, 5)).toEqual({ ...search, page: 5 });
  });

  it('goes back to page 1 when the page size, the sort or a filter changes', () => {
    expect(withPerPage(search, 'all')).toMatchObject({ page: 1, perPage: 'all' });
    expect(withSort(search, 'nbViews').page).toBe(1);
    expect(withFilter(search, 'adTitle', { type: 'contain', value: 'x' })).toMatchObject({ page: 1 });
  });

  it('sorts a new column upwards, and turns it at each further click', () => {
    const first = withSort(search, 'nbViews');
    expect(first).toMatchObject({ order: 'nbViews', direction: 'ASC' });
    const second = withSort(first, 'nbViews');
    expect(second.direction).toBe('DESC');
    expect(withSort(second, 'nbViews').direction).toBe('ASC');
  });

  it('removes one filter and leaves the others', () => {
    const both = withFilter(search, 'adTitle', { type: 'contain', value: 'x' });
    expect(Object.keys(withFilter(both, 'domain', undefined).filters)).toEqual(['adTitle']);
  });
});
