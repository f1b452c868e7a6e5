import { describe, expect, it } from 'vitest';
import type { DomainRow } from '~/api/queries/domains';
import type { Me } from '~/api/session';
import { dayjs } from '~/lib/dates';
import { formatsOf } from '~/lib/formats';
import type { ListSearch, Where } from '~/lib/listSearch';
import { domainsList } from './Domains';

const NOW = dayjs('2026-03-18T15:00:00');
const user = { id: 2, roles: [] } as unknown as Me;
const defaults = domainsList.defaults(user, NOW);
const tools = { t: (key: string) => key, fmt: formatsOf('en') };

describe('the Domains list', () => {
  it('opens on the last 7 whole days, most viewed first', () => {
    expect(defaults).toMatchObject({ page: 1, perPage: 30, order: 'nbViews', direction: 'DESC' });
    const value = { start: dayjs('2026-03-12').toISOString(), end: dayjs('2026-03-18').endOf('day').toISOString() };
    expect(defaults.filters).toEqual({ date: { type: 'between', value, preset: 'last7' } });
  });

  it('names its filters as the server does, in three groups', () => {
    const groups = new Map<string, string[]>();
    for (const [name, { group }] of Object.entries(domainsList.filters)) {
      groups.set(group, [...(groups.get(group) ?? []), name]);
    }
    expect([...groups]).toEqual([
      ['monitoring:group.lastDetection', ['date', 'appearance']],
      ['monitoring:group.generic', ['brandID', 'country', 'region', 'engine', 'device', 'type']],
      [
        'monitoring:group.domainAndTerms',
        [
          'domain',
          'advertiserTag',
          'keywordContent',
          'keywordTag',
          'keywordType',
          'adTitle',
          'adDescription',
          'position',
        ],
      ],
    ]);
  });

  it('offers the date presets of the monitoring screens', () => {
    expect(domainsList.filters.date).toMatchObject({
      presets: ['today', 'yesterday', 'last7', 'last30', 'last60', 'thisMonth', 'lastMonth'],
    });
  });

  it('offers regions once a country is chosen, and drops them with it', () => {
    const country: Where = { type: 'inq', value: ['BE'] };
    const region: Where = { type: 'inq', value: ['Liège'] };
    const met = domainsList.filters.region?.needs?.met;
    expect(met?.({})).toBe(false);
    expect(met?.({ country: { type: 'nin', value: ['BE'] } })).toBe(false);
    expect(met?.({ country })).toBe(true);

    const before: ListSearch = { ...defaults, filters: { country, region } };
    const wider: Where = { type: 'inq', value: ['BE', 'FR'] };
    const other: Where = { type: 'inq', value: ['FR'] };
    expect(domainsList.rules?.(before, { ...before, filters: { country: wider, region } }).filters).toHaveProperty(
      'region',
    );
    expect(domainsList.rules?.(before, { ...before, filters: { country: other, region } }).filters).toEqual({
      country: other,
    });
    expect(domainsList.rules?.(before, { ...before, filters: { region } }).filters).toEqual({});
  });

  it('adds a brand for administrators only', async () => {
    expect(await domainsList.complete?.(defaults, user)).toBe(defaults);
  });

  it('has every column, sorted by the server where it can', () => {
    const columns = domainsList.columns(tools).map(({ colId }) => colId);
    expect(columns).toEqual(['countries', 'visibility', 'domain', 'averagePosition', 'nbAds', 'nbViews', 'tags']);
    expect(columns.filter((id) => domainsList.sorts.includes(id ?? ''))).toEqual(columns.filter((id) => id !== 'tags'));
  });

  it('counts domains, ads and views', () => {
    const counters = domainsList.counters({ total: 1_234, totalAds: 5, totalViews: 6 }, tools);
    expect(counters.map(({ value, label }) => `${value} ${label}`)).toEqual([
      '1,234 counter.domains',
      '5 monitoring:counter.ads',
      '6 monitoring:counter.views',
    ]);
  });

  it('searches domain, countries and tags', () => {
    const row = { domain: 'a.example', countries: ['FR'], categories: [{ label: 'Reseller' }] } as DomainRow;
    expect(domainsList.rowText(row)).toBe('a.example FR Reseller');
  });
});
