import { describe, expect, it } from 'vitest';
import type { ListSearch } from '~/lib/listSearch';
import { counted, resourceCount, resourcePage, resourceWhere } from './resourceFilter';

const search: ListSearch = { page: 3, perPage: 30, order: 'email', direction: 'ASC', filters: {} };

describe('the filter of a resource list', () => {
  it('asks for one page', () => {
    expect(JSON.parse(resourcePage(search, ['companyAccount']))).toEqual({
      order: 'email ASC NULLS LAST',
      limit: 30,
      skip: 60,
      include: ['companyAccount'],
    });
  });

  it('asks for every row, where the server would answer 100 without a limit', () => {
    const filter = JSON.parse(resourcePage({ ...search, perPage: 'all' }, []));
    expect(filter).toMatchObject({ limit: 0 });
    expect(filter).not.toHaveProperty('skip');
  });

  it('orders equal rows by another field', () => {
    expect(JSON.parse(resourcePage(search, [], { thenBy: 'label' })).order).toBe('email ASC NULLS LAST,label ASC');
    expect(JSON.parse(resourcePage(search, [], { thenBy: 'email' })).order).toBe('email ASC NULLS LAST');
  });

  it('is joined by one more condition for a count of some of them', () => {
    const filters: ListSearch['filters'] = { brandOwnerId: { type: 'inq', value: [5] } };
    const ofBrand = { and: [{ brandOwnerId: { inq: [5] } }] };
    expect(resourceCount(search)).toBeUndefined();
    expect(JSON.parse(resourceCount(search, { also: { scope: 'tag' } }) ?? '')).toEqual({ scope: 'tag' });
    expect(JSON.parse(resourceCount({ ...search, filters }) ?? '')).toEqual(ofBrand);
    expect(JSON.parse(resourceCount({ ...search, filters }, { also: { scope: 'tag' } }) ?? '')).toEqual({
      and: [ofBrand, { scope: 'tag' }],
    });
  });

  it('looks for a text as it is written', () => {
    expect(resourceWhere({ email: { type: 'contain', value: '50%_\\' } })).toEqual({
      and: [{ email: { ilike: '%50\\%\\_\\\\%' } }],
    });
  });

  it('counts rows without a value among those that do not contain a text', () => {
    expect(resourceWhere({ firstName: { type: 'exclude', value: 'ann' } })).toEqual({
      and: [{ or: [{ firstName: null }, { firstName: { nilike: '%ann%' } }] }],
    });
  });
});

describe('a page of rows', () => {
  it('knows whether there is more before and after it', () => {
    expect(counted(search, new Array(30), 90)).toMatchObject({ next: undefined, prev: 'prev' });
    expect(counted(search, new Array(30), 91)).toMatchObject({ next: 'next' });
    expect(counted({ ...search, page: 1 }, new Array(30), 91)).toMatchObject({ prev: undefined });
  });

  it('can be left forward while pages are full when nothing was counted', () => {
    expect(counted(search, new Array(30), undefined)).toMatchObject({ next: 'next', meta: { total: 91 } });
    expect(counted(search, new Array(7), undefined)).toMatchObject({ next: undefined, meta: { total: 67 } });
  });
});
