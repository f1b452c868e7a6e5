import { describe, expect, it } from 'vitest';
import type { ListSearch } from '~/lib/listSearch';
import { listQueryString } from './listQuery';

const search: ListSearch = { page: 3, perPage: 100, order: 'nbViews', direction: 'DESC', filters: {} };
const pairs = (of: ListSearch) => [...new URLSearchParams(listQueryString(of))];

describe('the query of a list', () => {
  it('carries page, size and sort', () => {
    expect(pairs(search)).toEqual([
      ['page[size]', '100'],
      ['page[number]', '3'],
      ['sort[by]', 'nbViews'],
      ['sort[direction]', 'desc'],
    ]);
  });

  it('asks for every row with size 0', () => {
    expect(pairs({ ...search, perPage: 'all' })).toContainEqual(['page[size]', '0']);
  });

  it('keeps a thousand pasted domains within an address, as one value of JSON', () => {
    const value = Array.from({ length: 1_000 }, (_, index) => `shop-number-${index}.some-brand.example`);
    const long = { ...search, filters: { domain: { type: 'nin', value } } } satisfies ListSearch;
    expect(pairs(long).slice(4)).toEqual([['filter', JSON.stringify({ domain: { nin: value } })]]);
    expect(listQueryString(long).length).toBeLessThan(60_000);
  });

  it('writes each kind of filter under its name and operator', () => {
    const filters: ListSearch['filters'] = {
      date: { type: 'between', value: { start: '2026-01-01T00:00:00.000Z', end: '2026-01-07T23:59:59.999Z' } },
      brandID: { type: 'inq', value: [1, 2], labels: ['Acme', 'Nordlys'] },
      country: { type: 'nin', value: ['FR'] },
      adTitle: { type: 'contain', value: 'a & b' },
      position: { type: 'between', value: { start: 1, end: 3 } },
    };
    expect(pairs({ ...search, filters }).slice(4)).toEqual([
      ['filters[date][between][start]', '2026-01-01T00:00:00.000Z'],
      ['filters[date][between][end]', '2026-01-07T23:59:59.999Z'],
      ['filters[brandID][inq][]', '1'],
      ['filters[brandID][inq][]', '2'],
      ['filters[country][nin][]', 'FR'],
      ['filters[adTitle][contain]', 'a & b'],
      ['filters[position][between][start]', '1'],
      ['filters[position][between][end]', '3'],
    ]);
  });
});
