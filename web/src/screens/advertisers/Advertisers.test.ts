import { describe, expect, it } from 'vitest';
import type { AdvertiserRow } from '~/api/queries/advertisers';
import type { Me } from '~/api/session';
import { dayjs } from '~/lib/dates';
import { formatsOf } from '~/lib/formats';
import type { ListSearch, Where } from '~/lib/listSearch';
import { advertisersList, lastStatusDate, updatedDate } from './Advertisers';
import { allowedForAll } from './BulkActions';
import { menuLinks } from './RowMenu';

const NOW = dayjs('2026-03-18T15:00:00');
const user = { id: 2, roles: [] } as unknown as Me;
const defaults = advertisersList.defaults(user, NOW);
const tools = { t: (key: string) => key, fmt: formatsOf('en') };
const row = (more: Partial<AdvertiserRow>) => ({ status: 'new', links: {}, ...more }) as AdvertiserRow;
const link = (name: string) => ({ method: 'POST', href: `/api/actions/${name}?actionID=1` });

describe('the Advertisers list', () => {
  it('opens on the new ones that were seen in the last 30 days', () => {
    expect(defaults).toMatchObject({ page: 1, perPage: 30, order: 'lastView', direction: 'DESC' });
    const value = { start: dayjs('2026-02-17').toISOString(), end: dayjs('2026-03-18').endOf('day').toISOString() };
    expect(defaults.filters).toEqual({
      lastView: { type: 'between', value, preset: 'last30' },
      status: { type: 'inq', value: ['new'] },
    });
  });

  it('names its filters as the server does', () => {
    expect(Object.keys(advertisersList.filters)).toEqual([
      'lastView',
      'status',
      'reappearance',
      'brandId',
      'provider',
      'country',
      'language',
      'type',
      'master',
      'advertiserTag',
      'keywordTag',
      'adTitle',
      'adDescription',
      'createdDate',
      'requestedDate',
      'inprogressDate',
      'updatedDate',
      'acceptedDate',
      'refusedDate',
    ]);
  });

  it('has a brand column where rows can be of several brands', () => {
    const redundant = (me: unknown, brandId?: Where) =>
      advertisersList.redundant?.(brandId ? { brandId } : {}, me as Me);
    const of = (...brands: string[]) => ({ id: 2, roles: [], companyAccount: { brands } });
    const staff = { id: 1, roles: [{ name: 'operator' }] };
    expect(redundant(staff)).toEqual([]);
    expect(redundant(of('one', 'other'))).toEqual([]);
    expect(redundant(of('one'))).toEqual(['brand']);
    expect(redundant(staff, { type: 'inq', value: [7] })).toEqual(['brand']);
    expect(redundant(staff, { type: 'inq', value: [7, 8] })).toEqual([]);
    expect(redundant(staff, { type: 'nin', value: [7] })).toEqual([]);
  });

  it('can be limited to text ads, to shopping ads or to both', () => {
    const { type } = advertisersList.filters;
    const options = type?.kind === 'choice' ? type.options : [];
    expect(options.map(({ value, values }) => values ?? [value])).toEqual([['ads'], ['shopping'], ['ads', 'shopping']]);
  });

  it('offers some statuses to staff only', () => {
    const { status } = advertisersList.filters;
    const options = status?.kind === 'choice' ? status.options : [];
    expect(options.filter(({ staff }) => staff).map(({ value }) => value)).toEqual([
      'disappeared',
      'reminded',
      'blocked',
    ]);
    expect(options).toHaveLength(10);
  });

  it('has every column in order', () => {
    expect(advertisersList.columns(tools).map(({ colId }) => colId)).toEqual([
      'engine',
      'domain',
      'brand',
      'createdDate',
      'countries',
      'updatedDate',
      'lastView',
      'status',
      'lastStatusDate',
      'nbAds',
      'nbViews',
      'tags',
      'actions',
    ]);
  });

  it('counts advertisers, then each status that the server returns a count for', () => {
    const counters = advertisersList.counters(
      { total: 5, subTotal: { new: 1_200, accepted: 3, inprogress: 0 } },
      tools,
    );
    expect(counters.map(({ value, label }) => `${value} ${label}`)).toEqual([
      '5 counter.advertisers',
      '1,200 counter.new',
      '0 counter.inprogress',
      '3 counter.accepted',
    ]);
  });
});

describe('the orders of advertisers', () => {
  const orders = (status?: Where) =>
    advertisersList.sortMenu?.(status ? { status } : {}).map(({ order }) => order) ?? [];

  it('are four, and more for a chosen status', () => {
    const always = ['lastView', 'createdDate', 'requestedDate', 'updatedDate'];
    expect(orders()).toEqual(always);
    expect(orders({ type: 'inq', value: ['accepted', 'disappeared'] })).toEqual([
      ...always,
      'acceptedDate',
      'disappearedDate',
    ]);
  });

  it('fall back to the default when their status is no longer chosen', () => {
    const accepted: ListSearch = {
      ...defaults,
      order: 'acceptedDate',
      filters: { status: { type: 'inq', value: ['accepted'] } },
    };
    expect(advertisersList.rules?.(accepted, accepted).order).toBe('acceptedDate');
    const without = { ...accepted, filters: {} };
    expect(advertisersList.rules?.(accepted, without)).toMatchObject({ order: 'lastView', direction: 'DESC' });
    for (const order of ['requestedDate', 'updatedDate', 'lastView', 'createdDate']) {
      expect(advertisersList.rules?.(accepted, { ...without, order }).order).toBe(order);
    }
  });
});

describe('the actions on advertisers', () => {
  const rows = (...statuses: string[]) => statuses.map((status) => row({ status }));

  it('are allowed for a whole selection or not at all', () => {
    expect(allowedForAll('ignore', rows('new', 'accepted', 'reappearance'))).toBe(true);
    expect(allowedForAll('ignore', rows('new', 'requested'))).toBe(false);
    expect(allowedForAll('unignore', rows('ignored', 'ignored'))).toBe(true);
    expect(allowedForAll('unignore', rows('ignored', 'new'))).toBe(false);
    expect(allowedForAll('request', rows('new', 'new'))).toBe(true);
    expect(allowedForAll('request', rows('new', 'reappearance'))).toBe(false);
    expect(allowedForAll('cancelRequest', rows('requested'))).toBe(true);
    expect(allowedForAll('cancelRequest', rows('requested', 'new'))).toBe(false);
    expect(allowedForAll('ignore', [])).toBe(false);
  });

  it('are in the menu of a row where the server offers them', () => {
    const links = { markAsRequested: link('requested'), markAsIgnored: link('ignored') };
    expect(menuLinks(row({ links })).map(({ text }) => text)).toEqual(['request', 'ignore']);
    expect(menuLinks(row({ status: 'accepted', links }))).toEqual([]);
    expect(menuLinks(row({ status: 'ignored', links: { cancelIgnore: link('cancelIgnore') } }))).toHaveLength(1);
  });
});

describe('the dates of a row', () => {
  it('show an update only where a decision was made', () => {
    expect(updatedDate(row({ status: 'new', updatedDate: 'x' }))).toBeNull();
    expect(updatedDate(row({ status: 'refused', updatedDate: 'x' }))).toBe('x');
  });

  it('show the creation of a reappearance without a status date', () => {
    expect(lastStatusDate(row({ status: 'reappearance', lastStatusDate: null, createdDate: 'c' }))).toBe('c');
    expect(lastStatusDate(row({ status: 'new', lastStatusDate: null, createdDate: 'c' }))).toBeNull();
  });
});
