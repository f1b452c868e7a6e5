import { describe, expect, it } from 'vitest';
import type { TermRow } from '~/api/queries/terms';
import type { Me } from '~/api/session';
import { dayjs } from '~/lib/dates';
import { formatsOf } from '~/lib/formats';
import { termsList } from './Terms';

const NOW = dayjs('2026-03-18T15:00:00');
const user = { id: 2, roles: [] } as unknown as Me;
const tools = { t: (key: string) => key, fmt: formatsOf('en') };

describe('the Terms list', () => {
  it('opens on the last 7 whole days, most competitors first', () => {
    const defaults = termsList.defaults(user, NOW);
    expect(defaults).toMatchObject({ page: 1, perPage: 30, order: 'nbCompetitors', direction: 'DESC' });
    const value = { start: dayjs('2026-03-12').toISOString(), end: dayjs('2026-03-18').endOf('day').toISOString() };
    expect(defaults.filters).toEqual({ date: { type: 'between', value, preset: 'last7' } });
  });

  it('has the filters of Domains except those on the text and position of an ad', () => {
    expect(Object.keys(termsList.filters)).toEqual([
      'date',
      'brandID',
      'country',
      'region',
      'engine',
      'device',
      'type',
      'domain',
      'advertiserTag',
      'keywordContent',
      'keywordTag',
      'keywordType',
    ]);
  });

  it('has every column, sorted by the server where it can', () => {
    const columns = termsList.columns(tools).map(({ colId }) => colId);
    expect(columns).toEqual(['locale', 'engine', 'content', 'brand', 'nbCompetitors', 'nbAds', 'nbViews', 'tags']);
    const sorted = columns.filter((id) => termsList.sorts.includes(id ?? ''));
    expect(sorted).toEqual(columns.filter((id) => id !== 'tags' && id !== 'brand'));
  });

  it('counts terms, ads and views', () => {
    const counters = termsList.counters({ total: 1_234, totalAds: 5, totalViews: 6 }, tools);
    expect(counters.map(({ value, label }) => `${value} ${label}`)).toEqual([
      '1,234 counter.terms',
      '5 monitoring:counter.ads',
      '6 monitoring:counter.views',
    ]);
  });

  it('searches keywords, places and tags', () => {
    const row = { content: 'red shoes', country: 'FR', localization: 'Paris', region: null, engine: 'bing' };
    expect(termsList.rowText({ ...row, categories: [{ label: 'Core' }] } as TermRow)).toBe(
      'red shoes FR Paris bing Core',
    );
  });
});
