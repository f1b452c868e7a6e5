import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { casesKey } from '~/api/queries/actions';
import { i18next, startTexts } from '~/i18n';
import { place } from '~/list/cards/place';
import { renderRoute } from '~/testing';
import { toast } from '~/ui/toast';
import { Action } from './Action';

const linksOf = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [name, { method: 'POST', href: `/api/actions/${PATHS[name] ?? name}?actionID=7` }]),
  );
const PATHS: Record<string, string> = { markAsRequested: 'requested', ignore: 'ignored', cancel: 'cancelRequested' };

const STAFF = ['accept', 'refuse', 'inprogress', 'forceReminder', 'block', 'ignore'];

const entry = (ID: number, status: string, day: string, actor: unknown = null) => ({
  ID: String(ID),
  status,
  date: `2025-09-${day}T10:00:00.000Z`,
  actor,
  previousDate: [],
});
const history = [
  entry(1, 'new', '01'),
  entry(2, 'inprogress', '03', { kind: 'person', name: 'Ann Archer' }),
  entry(3, 'reminded', '17'),
  entry(4, 'reminded', '24'),
];

const caseOf = (change: Record<string, unknown> = {}) => ({
  ID: 7,
  id: 7,
  brandId: 1,
  brand: { id: 1, label: 'Maison Brivault' },
  domain: 'shop7.example',
  engine: 'google',
  country: 'FR',
  countries: ['FR'],
  status: 'reminded',
  waiting: true,
  createdDate: '2025-09-01T10:00:00.000Z',
  lastView: '2025-10-14T10:00:00.000Z',
  lastStatusDate: '2025-09-24T10:00:00.000Z',
  receivedCount: 1,
  sendedCount: 3,
  remindedCount: 2,
  unreadCount: 0,
  history,
  next: { code: 'reminder', date: '2025-10-17T07:00:00.000Z', params: { number: 3, paused: false } },
  metas: null,
  presence: { ads: true, shopping: false, daysSeen30: 11 },
  categories: [{ id: 5, label: 'marketplace' }],
  dealer: { id: 107, domain: 'shop7.example', categories: [] },
  links: linksOf(...STAFF),
  emails: [],
  ...change,
});

/** The case as the server has it. */
let stored = caseOf();
const changed = vi.fn<(path: string, body: string) => Response>();
const failing = (status: number, code?: string) =>
  Response.json({ error: { statusCode: status, message: 'no', code } }, { status });

beforeAll(async () => {
  await startTexts();
});

beforeEach(async () => {
  place.clear();
  await page.viewport(1280, 900);
  await i18next.changeLanguage('en');
  await i18next.loadNamespaces(['actions', 'advertisers', 'monitoring', 'market', 'common', 'list', 'history']);
  stored = caseOf();
  changed.mockReset();
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === 'POST') {
      expect(searchParams.get('actionID')).toBe('7');
      return changed(pathname.slice('/api/actions/'.length), await request.text());
    }
    return pathname === '/api/actions/detail/7' ? Response.json({ data: stored }) : failing(404);
  });
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

function show(address = '/action/7') {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return { ...renderRoute('/action/$id', Action, address, queries), queries };
}

const offered = () =>
  page
    .getByRole('button')
    .elements()
    .map(({ textContent }) => textContent?.trim());

it('says what the case is, what comes next and what has happened, the newest first', async () => {
  show();
  await expect.element(page.getByRole('heading', { level: 1, name: 'shop7.example' })).toBeVisible();
  for (const text of [
    'Maison Brivault',
    'Google',
    'reminded',
    'Reminder 3 on 17/10/25',
    'First seen 01/09/2025',
    'Last seen 14/10/2025',
    '11 / 30 d',
    'marketplace',
  ])
    expect(document.body.textContent).toContain(text);
  const entries = page.getByRole('region', { name: 'Activities history' }).getByRole('listitem').elements();
  expect(entries.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^reminded24\/09\/2025 .*automaticallyBefore: 17\/09\/2025$/),
    expect.stringMatching(/^Notified03\/09\/2025 .*Ann Archer$/),
    expect.stringMatching(/^new01\/09\/2025 .*automatically$/),
  ]);
});

it('offers what the server offers, in order, and shows the answer to a confirmed change', async () => {
  const { queries } = show();
  await expect.element(page.getByRole('button', { name: 'accept' })).toBeVisible();
  queries.setQueryData([...casesKey, 'search', 'x'], { rows: [] });
  place.set('/actions', { id: '7', top: 10 });
  await userEvent.click(page.getByRole('button', { name: 'More changes' }));
  expect([
    ...offered().filter((name) => ['accept', 'refuse', 'move to Notified'].includes(name ?? '')),
    ...page
      .getByRole('menuitem')
      .elements()
      .map(({ textContent }) => textContent),
  ]).toEqual(['accept', 'refuse', 'move to Notified', 'force the automatic reminder cycle', 'block', 'ignore']);

  await userEvent.click(page.getByRole('menuitem', { name: 'ignore' }));
  const dialog = page.getByRole('dialog', { name: 'Ignore this case?' });
  await expect.element(dialog).toHaveTextContent('The case is set aside');
  expect(changed).not.toHaveBeenCalled();
  changed.mockImplementation(() => {
    const own = { status: 'ignored', waiting: false, next: { code: 'nothing', params: {} } };
    stored = caseOf({
      ...own,
      history: [...history, entry(5, 'ignored', '30', { kind: 'person', name: 'Bo Baker' })],
      links: linksOf('cancelIgnore'),
    });
    return Response.json({ data: { ...stored, brand: 'Maison Brivault' } });
  });
  await userEvent.click(dialog.getByRole('button', { name: 'ignore' }));
  await expect.element(page.getByRole('button', { name: 'cancel ignore' })).toBeVisible();
  await expect.element(page.getByText("The advertiser's status is up to date.")).toBeVisible();
  await expect.element(dialog).not.toBeInTheDocument();
  expect(changed.mock.calls).toEqual([['ignored', '']]);
  await expect.element(page.getByRole('listitem').filter({ hasText: 'Bo Baker' })).toHaveTextContent('ignored');
  expect(place.get('/actions')).toBeUndefined();
  expect(queries.getQueryData([...casesKey, 'search', 'x'])).toBeUndefined();
});

it('marks an advertiser as notified, with a comment', async () => {
  changed.mockImplementation(() => Response.json({ data: { ...stored, brand: 'Maison Brivault' } }));
  show();
  await userEvent.click(page.getByRole('button', { name: 'move to Notified' }));
  const dialog = page.getByRole('dialog', { name: 'Mark this advertiser as Notified' });
  await userEvent.fill(dialog.getByRole('textbox', { name: 'Comment' }), 'By phone');
  await userEvent.click(dialog.getByRole('button', { name: 'Mark as notified' }));
  await expect.element(page.getByText("The advertiser's status has changed to notified.")).toBeVisible();
  const [path, body] = changed.mock.calls[0] ?? [];
  expect([path, JSON.parse(body ?? '')]).toEqual(['inprogress', { manual: true, comments: 'By phone' }]);
});

it('shows the case as it is by then where a change is refused, and says so', async () => {
  changed.mockImplementation(() => {
    stored = caseOf({ status: 'accepted', waiting: false, links: linksOf('refuse', 'ignore') });
    return failing(409, 'TRANSITION_NOT_ALLOWED');
  });
  show();
  await userEvent.click(page.getByRole('button', { name: 'accept' }));
  await userEvent.click(page.getByRole('dialog').getByRole('button', { name: 'accept' }));
  await expect.element(page.getByText('has changed in the meantime')).toBeVisible();
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
  await expect.element(page.getByRole('button', { name: 'accept' })).not.toBeInTheDocument();
  expect(document.body.textContent).toContain('accepted');
});

it('says in French that a change failed, and keeps the confirmation open', async () => {
  await i18next.changeLanguage('fr');
  await i18next.loadNamespaces(['actions', 'advertisers', 'market', 'common', 'list', 'history']);
  changed.mockImplementation(() => failing(500));
  show();
  await userEvent.click(page.getByRole('button', { name: 'refuser' }));
  await userEvent.click(page.getByRole('dialog').getByRole('button', { name: 'refuser' }));
  await expect.element(page.getByText('Une erreur est suvenue.')).toBeVisible();
  await expect.element(page.getByRole('dialog')).toBeVisible();
});

it('offers a user of a company nothing of the staff, and fits a telephone', async () => {
  await page.viewport(390, 844);
  stored = caseOf({ domain: `${'long-name-of-a-shop'.repeat(4)}.example`, links: linksOf('ignore') });
  show();
  await expect.element(page.getByRole('button', { name: 'ignore' })).toBeVisible();
  for (const name of ['accept', 'refuse', 'move to Notified', 'More changes'])
    await expect.element(page.getByRole('button', { name })).not.toBeInTheDocument();
  expect(document.documentElement.scrollWidth).toBe(390);
});

it.each(['8', 'x', '99999999999'])('leads to the page for unknown addresses where there is no case %s', async (id) => {
  const { path } = show(`/action/${id}`);
  await vi.waitFor(() => expect(path()).toBe('/404'));
});

it('says that it could not be loaded, and tries again', async () => {
  const answer = vi.mocked(window.fetch).getMockImplementation();
  let broken = true;
  vi.mocked(window.fetch).mockImplementation(async (input) =>
    broken ? failing(500) : (answer?.(input) as Promise<Response>),
  );
  show();
  const panel = page.getByRole('alert').filter({ hasText: 'Try again later' });
  await expect.element(panel).toBeVisible();
  broken = false;
  await userEvent.click(panel.getByRole('button'));
  await expect.element(page.getByRole('heading', { level: 1, name: 'shop7.example' })).toBeVisible();
});
