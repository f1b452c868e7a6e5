import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { caseQuery, casesKey } from '~/api/queries/actions';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { place } from '~/list/cards/place';
import { renderWithProviders } from '~/testing';
import { caseRow, meKey, operator } from '~/testMails';
import { askMails } from './askMails';
import { CaseMailFrame } from './CaseMailFrame';

const ORIGIN = window.location.origin;
const history = [{ ID: '9', status: 'accepted', date: '2025-10-05T10:00:00.000Z', previousDate: [] }];
const report = {
  type: 'status',
  data: { status: 'accepted', dates: { acceptedDate: '2025-10-05T10:00:00.000Z' }, history },
};
const calls: string[] = [];

beforeAll(async () => {
  await startTexts();
});

beforeEach(async () => {
  await i18next.changeLanguage('en');
  await loadTexts(['mailsOfCases', 'common']);
  calls.length = 0;
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const { method, url } = input as Request;
    calls.push(`${method} ${new URL(url).pathname}${new URL(url).search}`);
    return Response.json({ data: { token: 'ticket', expires: '2025-10-05T10:05:00.000Z' } });
  });
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  place.clear();
});

/** Shows the frame and records the messages sent to it. */
async function show(mailsPage: string | null = null, me: typeof operator = operator) {
  const queries = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
  });
  queries.setQueryData(meKey, me);
  queries.setQueryData(caseQuery('7').queryKey, { rows: [{ ...caseRow, lastReceived: undefined }] });
  queries.setQueryData([...casesKey, 'search', 'x'], { rows: [] });
  place.set('/actions', { id: '7', top: 10 });
  renderWithProviders(<CaseMailFrame row={{ ...caseRow, mailsPage }} />, queries);
  const frame = page.getByTitle('E-mails of this case').element() as HTMLIFrameElement;
  // Nothing of the window of another origin can be watched.
  const toldTo = vi.fn();
  const ofFrame = { postMessage: toldTo };
  Object.defineProperty(frame, 'contentWindow', { value: ofFrame });
  const say = (data: unknown, { origin = ORIGIN, source = ofFrame }: { origin?: string; source?: object } = {}) => {
    const event = new MessageEvent('message', { data, origin });
    Object.defineProperty(event, 'source', { value: source });
    window.dispatchEvent(event);
  };
  const status = () => queries.getQueryData<{ rows: { status: string }[] }>(caseQuery('7').queryKey)?.rows[0]?.status;
  return { queries, frame, toldTo, say, status };
}

it('is served at the address of the e-mail page', async () => {
  const { frame } = await show();
  expect(frame.src).toBe(`${ORIGIN}/action/operator/list/7/embedded/true`);
});

it('gives user and ticket to the exact origin, and only once the frame is ready', async () => {
  const { say, toldTo } = await show();
  expect(calls).toEqual([]);
  say({ type: 'ready' });
  await expect.poll(() => toldTo.mock.calls).toEqual([[{ type: 'auth', userId: 3, token: 'ticket' }, ORIGIN]]);
  expect(calls).toEqual(['POST /api/actions/emails/ticket?actionID=7']);
});

it('asks for no ticket for a user of a company, who would be refused one', async () => {
  const { say, toldTo, status } = await show(null, { ...operator, roles: [] });
  say({ type: 'ready' });
  // A later message is dealt with after it.
  say(report);
  await expect.poll(status).toBe('accepted');
  expect([...calls, ...toldTo.mock.calls]).toEqual([]);
});

it('shows a reported status, its dates and history, and drops the lists', async () => {
  const { say, status, queries } = await show();
  say(report);
  expect(status()).toBe('accepted');
  expect(queries.getQueryData(caseQuery('7').queryKey)).toMatchObject({ rows: [{ ...report.data.dates, history }] });
  await expect.poll(() => queries.getQueryData([...casesKey, 'search', 'x'])).toBeUndefined();
  expect(place.get('/actions')).toBeUndefined();
});

it('drops the lists at a message without data', async () => {
  const { say, status, queries } = await show();
  say({});
  await expect.poll(() => queries.getQueryData([...casesKey, 'search', 'x'])).toBeUndefined();
  expect(place.get('/actions')).toBeUndefined();
  expect(status() ?? 'reminded').toBe('reminded');
});

it('ignores other origins, other windows and other messages', async () => {
  const { say, status, toldTo } = await show();
  say({ type: 'ready' }, { origin: 'https://evil.example' });
  say(report, { origin: 'https://evil.example' });
  say(report, { source: window });
  say({}, { origin: `${ORIGIN}.evil.example` });
  say({ type: 'status', data: { status: 7 } });
  expect(status()).toBe('reminded');
  expect(place.get('/actions')).toEqual({ id: '7', top: 10 });
  expect(toldTo).not.toHaveBeenCalled();
  expect(calls).toEqual([]);
});

it('hands the keys of the mails on, and presses those of the case here', async () => {
  const { say, toldTo, frame } = await show();
  const pressed: string[] = [];
  const listen = ({ key }: KeyboardEvent) => pressed.push(key);
  document.addEventListener('keydown', listen);
  await userEvent.keyboard('jar');
  say({ type: 'key', key: 'n' });
  document.removeEventListener('keydown', listen);
  expect(toldTo.mock.calls.map(([message]) => message)).toEqual([
    { type: 'key', key: 'j' },
    { type: 'key', key: 'r' },
  ]);
  expect(pressed).toEqual(['j', 'a', 'r', 'n']);
  expect(document.activeElement).toBe(frame);
});

it('leads buttons of the page to the mails', async () => {
  const { toldTo } = await show();
  askMails('answer');
  askMails('contacts');
  expect(toldTo.mock.calls.map(([message]) => message)).toEqual([
    { type: 'key', key: 'r' },
    { type: 'key', key: 'c' },
  ]);
});

describe('of another dashboard', () => {
  const PAGE = 'https://legacy.example/app/action/operator/list/7/embedded/true';
  const LEGACY = { origin: 'https://legacy.example' };

  it('gives its page a ticket at its exact origin, and takes its reports', async () => {
    const { say, toldTo, frame, status } = await show(PAGE);
    expect(frame.src).toBe(PAGE);
    say({ type: 'ready' });
    say({ type: 'ready' }, { origin: 'http://legacy.example' });
    say({ type: 'ready' }, { origin: 'https://legacy.example:8443' });
    expect(calls).toEqual([]);
    say({ type: 'ready' }, LEGACY);
    await expect
      .poll(() => toldTo.mock.calls)
      .toEqual([[{ type: 'auth', userId: 3, token: 'ticket' }, 'https://legacy.example']]);
    say(report);
    expect(status()).toBe('reminded');
    say(report, LEGACY);
    expect(status()).toBe('accepted');
  });

  it('lets it press no keys of the page', async () => {
    const { say } = await show(PAGE);
    const pressed: string[] = [];
    const listen = ({ key }: KeyboardEvent) => pressed.push(key);
    document.addEventListener('keydown', listen);
    for (const key of ['a', 'Enter', 'f']) say({ type: 'key', key }, LEGACY);
    await userEvent.keyboard('n');
    document.removeEventListener('keydown', listen);
    expect(pressed).toEqual(['n']);
  });
});
