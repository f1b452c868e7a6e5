import { beforeAll, describe, expect, it } from 'vitest';
import type { CaseRow } from '~/api/queries/actions';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { formatsOf } from '~/lib/formats';
import type { Tools, Translate } from '~/list/types';
import { caseSentence } from './caseSentence';
import { nextStep } from './nextStep';

const link = { method: 'POST', href: '/api/actions/x?actionID=7' };
const ALL = { markAsRequested: link, forceReminder: link, pause: link };

const rowOf = (change: Record<string, unknown>) =>
  ({
    status: 'inprogress',
    waiting: true,
    history: [],
    receivedCount: 0,
    metas: null,
    links: ALL,
    ...change,
  }) as unknown as CaseRow;

const next = (code: string, params: object = {}) => ({
  code,
  date: '2025-10-17T07:00:00.000Z',
  params: { number: null, quota: null, reason: null, paused: false, ...params },
});

let tools: Tools;

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['action', 'actions', 'advertisers']);
  tools = { t: i18next.getFixedT('en', 'actions') as Translate, fmt: formatsOf('en') };
});

describe('what comes next in a case', () => {
  it.each([
    ['new', { status: 'new' }, 'Nobody has asked for it yet', ['request']],
    ['requested', { status: 'requested', next: next('nothing') }, 'To notify', ['write']],
    ['requested and sent by itself', { status: 'requested', next: next('notification') }, 'First e-mail', []],
    [
      'requested without a contact',
      { status: 'requested', next: next('noContact') },
      'No contact to write to',
      ['contact'],
    ],
    ['a reminder', { next: next('reminder', { number: 2, quota: 3 }) }, 'Reminder 2 of 3 on 17/10/25', ['pause']],
    [
      'paused',
      { next: next('reminder', { paused: true }), pausedUntil: '2025-11-01' },
      'Paused until 01/11/25',
      ['resume', 'pause'],
    ],
    [
      'a block',
      { next: next('block', { reason: 'reminder_quota_reached' }) },
      'Blocks on 17/10/25: reminder quota reached',
      ['pause'],
    ],
    ['our answer', { waiting: false, next: next('ours') }, 'Ours to answer', ['answer', 'pause']],
    ['nothing', { next: next('nothing') }, 'Nothing happens by itself', ['force', 'pause']],
    ['no contact', { status: 'reminded', next: next('noContact') }, 'No contact to write to', ['contact', 'pause']],
    [
      'a block without a contact',
      { status: 'blocked', metas: { blockedReason: 'no_active_recipients' } },
      'Blocked: no active recipients',
      ['contact', 'force'],
    ],
    ['accepted', { status: 'accepted' }, 'The advertiser has agreed', []],
    ['disappeared', { status: 'disappeared' }, 'The ads are no longer seen', []],
  ])('is said of %s, with the ways that help', (_, change, title, ways) => {
    const step = nextStep(rowOf(change), tools);
    expect([step.title, step.ways]).toEqual([title, ways]);
    expect(step.why).not.toMatch(/step\./);
  });

  it('says since when an answer waits, where that is known', () => {
    const ours = { waiting: false, next: next('ours') };
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000 - 60_000).toISOString();
    expect(nextStep(rowOf({ ...ours, lastStatusDate: daysAgo(30) }), tools).why).toMatch(
      /^The advertiser has answered\./,
    );
    expect(nextStep(rowOf({ ...ours, lastReceived: daysAgo(2) }), tools).why).toContain('has waited for 2 days');
    expect(nextStep(rowOf({ ...ours, lastReceived: daysAgo(1) }), tools).why).toContain('has waited for 1 day.');
  });

  it('offers only what the server does', () => {
    expect(nextStep(rowOf({ status: 'new', links: {} }), tools).ways).toEqual([]);
    expect(nextStep(rowOf({ next: next('nothing'), links: {} }), tools).ways).toEqual(['contact']);
    expect(
      nextStep(rowOf({ status: 'blocked', metas: { blockedReason: 'reminder_quota_reached' }, links: {} }), tools).ways,
    ).toEqual(['write']);
  });
});

describe('the sentence about a case', () => {
  const entry = (ID: number, status: string, day: string) => ({
    ID,
    status,
    date: `2025-09-${day}T10:00:00Z`,
    previousDate: [],
  });

  it('says what has happened since the case began', () => {
    const history = [
      entry(1, 'new', '01'),
      entry(2, 'requested', '02'),
      entry(3, 'inprogress', '03'),
      entry(4, 'reminded', '10'),
    ];
    expect(caseSentence(rowOf({ history, status: 'reminded', lastView: '2025-10-14T10:00:00Z' }), tools)).toBe(
      'Requested on 02/09/25, notified on 03/09/25, reminded once. Ad last seen on 14/10/25.',
    );
  });

  it('begins where the case began again', () => {
    const history = [entry(1, 'new', '01'), entry(2, 'accepted', '05'), entry(3, 'reappearance', '20')];
    expect(caseSentence(rowOf({ history, status: 'reappearance' }), tools)).toBe('Seen again on 20/09/25.');
    expect(caseSentence(rowOf({ history: [...history, entry(4, 'ignored', '21')], status: 'ignored' }), tools)).toBe(
      'Set aside on 21/09/25.',
    );
  });
});
