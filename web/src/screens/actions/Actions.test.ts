import { describe, expect, it } from 'vitest';
import { casesStream } from '~/api/queries/actions';
import type { Me } from '~/api/session';
import { dayjs } from '~/lib/dates';
import type { ListSearch, Where } from '~/lib/listSearch';
import { blockedReason, blockedText, presenceOf } from '~/monitoring/cases/caseFacts';
import { actionsList, todoList } from './Actions';
import { readChange } from './LiveChanges';

const user = { id: 2, roles: [] } as unknown as Me;
const defaults = actionsList.defaults(user, dayjs());
const status = (...value: string[]): Where => ({ type: 'inq', value });

describe('the list of actions', () => {
  it('opens on what is requested, the oldest request first', () => {
    expect(defaults).toEqual({
      page: 1,
      perPage: 30,
      order: 'requestedDate',
      direction: 'ASC',
      filters: { status: status('requested') },
    });
  });

  it('has the filters of the specification, under the names of the server', () => {
    expect(Object.keys(actionsList.filters)).toEqual([
      'status',
      'waiting',
      'unread',
      'reappearance',
      'lastView',
      'brandId',
      'country',
      'language',
      'provider',
      'type',
      'domain',
      'advertiserTag',
      'keywordTag',
      'keywordType',
      'keywordContent',
      'createdDate',
      'requestedDate',
      'inprogressDate',
      'acceptedDate',
      'refusedDate',
      'updatedDate',
      'reappearanceDate',
      'disappearedDate',
    ]);
    const { lastView, status: statuses } = actionsList.filters;
    expect(lastView?.kind === 'dateRange' && lastView.presets).toEqual([
      'today',
      'yesterday',
      'thisWeek',
      'last7',
      'last30',
      'last60',
      'last90',
      'thisMonth',
      'lastMonth',
    ]);
    expect(statuses?.kind === 'choice' && statuses.options).toHaveLength(10);
  });

  it('orders by priority once the status of its order is no longer chosen, and keeps the general orders', () => {
    const accepted: ListSearch = { ...defaults, order: 'acceptedDate', filters: { status: status('accepted') } };
    expect(actionsList.rules?.(accepted, accepted).order).toBe('acceptedDate');
    const without = { ...accepted, filters: {} };
    expect(actionsList.rules?.(accepted, without)).toMatchObject({ order: 'priority', direction: 'DESC' });
    for (const order of ['requestedDate', 'updatedDate', 'lastView', 'createdDate']) {
      expect(actionsList.rules?.(accepted, { ...without, order, direction: 'ASC' })).toMatchObject({
        order,
        direction: 'ASC',
      });
    }
  });

  it('offers views that its own rules leave as they are', () => {
    expect(actionsList.presets).toHaveLength(5);
    for (const { search } of actionsList.presets ?? []) {
      const shown = { ...defaults, ...search };
      expect(actionsList.rules?.(defaults, shown)).toEqual(shown);
      expect(actionsList.sorts).toContain(search.order);
      expect(Object.keys(actionsList.filters)).toEqual(expect.arrayContaining(Object.keys(search.filters)));
    }
  });
});

describe('what is to do', () => {
  it('has neither filters nor orders of its own', () => {
    expect([todoList.filters, todoList.sortMenu, todoList.presets]).toEqual([{}, undefined, undefined]);
  });
});

describe('the reason of a block', () => {
  const at = '2026-10-02T07:00:00.000Z';
  const reasons = [
    { date: '2026-08-02T07:00:00Z', reason: 'manually_blocked' },
    { date: '2026-10-02T07:00:00Z', reason: 'reminder_quota_reached' },
  ];

  it('is the one of the date of the block', () => {
    expect(blockedReason({ metas: { blockedReason: reasons }, blockedDate: at })).toBe('reminder_quota_reached');
    expect(blockedReason({ metas: { blockedReason: reasons.slice(0, 1) }, blockedDate: at })).toBe('fallback');
    expect(blockedReason({ metas: { blockedReason: 'no_active_recipients' }, blockedDate: at })).toBe(
      'no_active_recipients',
    );
    expect(blockedReason({ metas: null, blockedDate: at })).toBe('fallback');
  });

  it('is in the words of the one who wrote it, where it is none of ours', () => {
    const t = (key: string) => key;
    expect(blockedText({ metas: { blockedReason: ' Asked by the legal team ' } }, t)).toBe('Asked by the legal team');
    expect(blockedText({ metas: { blockedReason: 'manually_blocked' } }, t)).toBe('actions:blocked.manually_blocked');
    expect(blockedText({ metas: { blockedReason: reasons }, blockedDate: at }, t)).toBe(
      'actions:blocked.reminder_quota_reached',
    );
    expect(blockedText({ metas: { blockedReason: [{ date: at, reason: 'soon' }] }, blockedDate: at }, t)).toBe(
      'actions:blocked.fallback',
    );
    expect(blockedText({ metas: { blockedReason: ' ' } }, t)).toBe('actions:blocked.fallback');
    expect(blockedText({}, t)).toBe('actions:blocked.fallback');
  });
});

it('reads the presence as far as it is known', () => {
  expect(presenceOf({ ads: true, shopping: false, daysSeen30: 4 })).toEqual({ ads: true, shopping: false, days: 4 });
  expect(presenceOf(null)).toEqual({ ads: false, shopping: false, days: undefined });
});

describe('the change stream', () => {
  it('is limited to what its filters can express', () => {
    const { searchParams, pathname } = new URL(
      casesStream({
        filters: { status: status('new'), domain: status('a.example'), country: { type: 'nin', value: ['FR'] } },
      }),
      'http://x',
    );
    expect(pathname).toBe('/api/Actions/change-stream');
    expect(JSON.parse(searchParams.get('options') ?? '')).toEqual({
      where: { status: { inq: ['new'] }, country: { nin: ['FR'] } },
    });
  });

  it('is read event by event', () => {
    expect(readChange('{"target":5,"type":"update","data":{"status":"new"}}')).toEqual({
      id: 5,
      type: 'update',
      data: { status: 'new' },
    });
    expect(readChange('{"target":5,"type":"remove","where":{"id":5}}')).toEqual({ id: 5, type: 'remove' });
    for (const text of ['', 'no json', '{"target":"5","type":"update"}', '{"target":5,"type":"other"}', 5]) {
      expect(readChange(text)).toBeUndefined();
    }
  });
});
