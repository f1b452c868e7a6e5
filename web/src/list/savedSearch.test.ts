import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Me } from '~/api/session';
import { dayjs } from '~/lib/dates';
import type { ListSearch, Where } from '~/lib/listSearch';
import { toAddress } from './address';
import { clearSaved, initialSearch, KEPT_DAYS, loadSaved, refreshPresets, resetSearch, save } from './savedSearch';
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
    expect(await initialSearch(list(), { page: 2 }, me, NOW)).toEqual({ ...defaults, page: 2 });
  });

  it('follows what was saved before the default', async () => {
    save(1, '/domains', { ...defaults, perPage: 100 }, NOW);
    expect(await initialSearch(list(), {}, me, NOW)).toEqual({ ...defaults, perPage: 100 });
  });

  it('shows the default to a first visit', async () => {
    expect(await initialSearch(list(), {}, me, NOW)).toEqual(defaults);
  });

  it('completes a visit once: what was taken away stays away', async () => {
    const complete = vi.fn(addBrand);
    const first = await initialSearch(list(complete), {}, me, NOW);
    const again = await initialSearch(list(complete), {}, me, NOW);
    expect(first.filters).toEqual({ brandID: brand });
    expect(again.filters).toEqual({});
    expect(complete).toHaveBeenCalledTimes(1);
  });

  it('never completes an address: it shows what it says', async () => {
    const complete = vi.fn(addBrand);
    await initialSearch(list(complete), { order: 'nbViews' }, me, NOW);
    expect(complete).not.toHaveBeenCalled();
  });

  it('completes the default at each reset', async () => {
    expect((await resetSearch(list(addBrand), me, NOW)).filters).toEqual({ brandID: brand });
    expect((await resetSearch(list(addBrand), me, NOW)).filters).toEqual({ brandID: brand });
  });
});

const search: ListSearch = {
  page: 2,
  perPage: 30,
  order: 'nbViews',
  direction: 'DESC',
  filters: { domain: { type: 'inq', value: ['a.example'] } },
};

beforeEach(() => localStorage.clear());

describe('a saved list', () => {
  it('comes back for the same person and path only', () => {
    save(1, '/domains', search, NOW);
    expect(loadSaved(1, '/domains', NOW)).toEqual(toAddress(search));
    expect(loadSaved(2, '/domains', NOW)).toBeUndefined();
    expect(loadSaved(1, '/terms', NOW)).toBeUndefined();
  });

  it('is kept for 15 days and not longer', () => {
    expect(KEPT_DAYS).toBe(15);
    save(1, '/domains', search, NOW);
    expect(loadSaved(1, '/domains', NOW.add(KEPT_DAYS * 24, 'hour'))).toBeDefined();
    expect(loadSaved(1, '/domains', NOW.add(KEPT_DAYS * 24, 'hour').add(1, 'millisecond'))).toBeUndefined();
  });

  it('can be cleared', () => {
    save(1, '/domains', search, NOW);
    clearSaved(1, '/domains');
    expect(localStorage).toHaveLength(0);
  });

  it.each(['', '{', '7', '{"at":"x"}', '{"at":1,"search":7}'])('is ignored when it reads %j', (text) => {
    localStorage.setItem('list:v1:1:/domains', text);
    expect(loadSaved(1, '/domains', NOW)).toBeUndefined();
  });

  it('means the days of now where it named a preset', () => {
    const value = { start: '2026-01-01T00:00:00.000Z', end: '2026-01-07T00:00:00.000Z' };
    const old: ListSearch = {
      ...search,
      filters: { date: { type: 'between', value, preset: 'today' }, other: { type: 'between', value } },
    };
    const { date, other } = refreshPresets(old, NOW).filters;
    expect(date).toMatchObject({ value: { start: NOW.startOf('day').toISOString() }, preset: 'today' });
    expect(other).toEqual(old.filters.other);
  });
});
