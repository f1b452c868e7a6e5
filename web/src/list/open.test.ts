import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Me } from '~/api/session';
import { dayjs } from '~/lib/dates';
import type { ListSearch, Where } from '~/lib/listSearch';
import { openingSearch, resetSearch } from './open';
import { save } from './persist';
import type { AnyListDef } from './types';

const NOW = dayjs('2026-03-18T12:00:00');
const me = { id: 1, roles: [] } as unknown as Me;
const brand: Where = { type: 'inq', value: [7], labels: ['Acme'] };
const defaults: ListSearch = { page: 1, perPage: 30, order: 'nbViews', direction: 'DESC', filters: {} };

function list(complete?: AnyListDef['complete']): AnyListDef {
  return {
    path: '/domains',
    filters: {
      domain: { kind: 'chips', label: 'domain', group: 'g' },
      brandID: { kind: 'asyncChoice', label: 'brand', group: 'g', search: async () => [] },
    },
    sorts: ['nbViews'],
    perPage: [30, 100],
    defaults: () => defaults,
    complete,
  } as unknown as AnyListDef;
}

const addBrand = async (search: ListSearch) => ({ ...search, filters: { ...search.filters, brandID: brand } });

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

describe('opening a list', () => {
  it('follows the address before what was saved', async () => {
    save(1, '/domains', { ...defaults, perPage: 100 }, NOW);
    expect(await openingSearch(list(), { page: 2 }, me, NOW)).toEqual({ ...defaults, page: 2 });
  });

  it('follows what was saved before the default', async () => {
    save(1, '/domains', { ...defaults, perPage: 100 }, NOW);
    expect(await openingSearch(list(), {}, me, NOW)).toEqual({ ...defaults, perPage: 100 });
  });

  it('shows the default to a first visit', async () => {
    expect(await openingSearch(list(), {}, me, NOW)).toEqual(defaults);
  });

  it('completes a visit once: what was taken away stays away', async () => {
    const complete = vi.fn(addBrand);
    const first = await openingSearch(list(complete), {}, me, NOW);
    const again = await openingSearch(list(complete), {}, me, NOW);
    expect(first.filters).toEqual({ brandID: brand });
    expect(again.filters).toEqual({});
    expect(complete).toHaveBeenCalledTimes(1);
  });

  it('never completes an address: it shows what it says', async () => {
    const complete = vi.fn(addBrand);
    await openingSearch(list(complete), { order: 'nbViews' }, me, NOW);
    expect(complete).not.toHaveBeenCalled();
  });

  it('completes the default at each reset', async () => {
    expect((await resetSearch(list(addBrand), me, NOW)).filters).toEqual({ brandID: brand });
    expect((await resetSearch(list(addBrand), me, NOW)).filters).toEqual({ brandID: brand });
  });
});
