import { beforeEach, describe, expect, it } from 'vitest';
import { dayjs } from '~/lib/dates';
import type { ListSearch } from '~/lib/listSearch';
import { toAddress } from './address';
import { clearSaved, KEPT_DAYS, loadSaved, refreshPresets, save } from './persist';

const NOW = dayjs('2026-03-18T12:00:00');
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
