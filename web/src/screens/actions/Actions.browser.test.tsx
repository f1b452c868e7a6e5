import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Me } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { place } from '~/list/cards/place';
import type { AnyListDef } from '~/list/types';
import { renderList } from '~/testing';
import { toast } from '~/ui/toast';
import { actionsList, todoList } from './Actions';

const operator = { id: 3, email: 'o@vigie.example', roles: [{ name: 'operator' }] } as unknown as Me;

const link = (path: string, id: number) => ({ method: 'POST', href: `/api/actions/${path}?actionID=${id}` });
const linksOf = (status: string, id: number) =>
  status === 'new'
    ? { markAsRequested: link('requested', id), markAsIgnored: link('ignored', id) }
    : status === 'requested'
      ? { cancelRequested: link('cancelRequested', id) }
      : status === 'ignored'
        ? { cancelIgnore: link('cancelIgnore', id) }
        : { markAsIgnored: link('ignored', id) };

const caseOf = (id: number, change: Record<string, unknown> = {}) => ({
  ID: id,
  id,
  brandId: 1,
  brand: 'Maison Brivault',
  domain: `shop${id}.example`,
  engine: 'google',
  country: 'FR',
  countries: ['FR'],
  status: 'new',
  waiting: false,
  lastView: '2026-10-14T10:00:00.000Z',
  lastStatusDate: '2026-10-02T07:00:00.000Z',
  blockedDate: null,
  receivedCount: 1,
  sendedCount: 3,
  remindedCount: 2,
  unreadCount: 0,
  history: [{ ID: 1, status: 'new', date: '2026-09-01T10:00:00.000Z', previousDate: [] }],
  metas: { originalStatus: 'new' },
  presence: { ads: true, shopping: false, daysSeen30: 11 },
  categories: [],
  dealer: { id: 100 + id, domain: `shop${id}.example`, categories: [] },
  links: linksOf(String(change.status ?? 'new'), id),
  ...change,
});

const pageOf = (data: unknown[], links: object = {}) => ({
  data,
  meta: { page: { total: data.length, totalViews: 0, totalAds: 0 }, subTotal: {} },
  links: { exportCSV: '/api/actions/searchAll?csv=true', ...links },
});

/** A stream that a test speaks through. */
class Stream extends EventTarget {
  static open: Stream[] = [];
  constructor(readonly url: string) {
    super();
    Stream.open.push(this);
  }
  close() {
    Stream.open = Stream.open.filter((one) => one !== this);
  }
  say(event: object) {
    this.dispatchEvent(new MessageEvent('data', { data: JSON.stringify(event) }));
  }
}

/** Answers `/api/actions` for the query; all cases unless a test says otherwise. */
const found = vi.fn<(query: URLSearchParams) => unknown>();
const changed = vi.fn<(path: string, ids: number[]) => Response>();
const copied = vi.fn<(text: string) => Promise<void>>();
let cases = [caseOf(1), caseOf(2), caseOf(3)];

beforeAll(async () => {
  await startTexts();
});

beforeEach(async () => {
  localStorage.clear();
  place.clear();
  await page.viewport(1440, 900);
  await speak('en');
  cases = [caseOf(1), caseOf(2), caseOf(3)];
  found.mockReset().mockImplementation((query) => {
    const ids = query.getAll('ID[]');
    return pageOf(ids.length === 0 ? cases : cases.filter(({ id }) => ids.includes(String(id))));
  });
  changed.mockReset().mockImplementation(() => Response.json({ data: [] }));
  copied.mockReset().mockResolvedValue();
  vi.stubGlobal('EventSource', Stream);
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(copied);
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/api/actions' || pathname === '/api/actions/todo') return Response.json(found(searchParams));
    if (request.method === 'POST' && pathname.startsWith('/api/actions/')) {
      const body = await request.text();
      const one = searchParams.get('actionID');
      return changed(pathname.slice('/api/actions/'.length), one ? [Number(one)] : JSON.parse(body).actionID);
    }
    return Response.json({ data: [] });
  });
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  Stream.open = [];
});

async function speak(language: string) {
  await i18next.changeLanguage(language);
  await loadTexts(['actions', 'advertisers', 'monitoring', 'market', 'common', 'list']);
}

async function show(list: AnyListDef = actionsList, address: string = list.path) {
  const shown = renderList(list, address, operator);
  await vi.waitFor(() => expect(document.querySelector('article, [role="status"] p')).not.toBeNull(), {
    timeout: 10_000,
  });
  return shown;
}

const card = (domain: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name: `Open the case of ${domain}` }) });
const focused = () => document.activeElement?.textContent;
const bar = page.getByRole('toolbar');

describe('a card', () => {
  it('says who advertises where, since when, what was done, and how many mails there are', async () => {
    const history = [
      ['new', '2025-09-01'],
      ['requested', '2025-09-02'],
      ['inprogress', '2025-09-03'],
      ['reminded', '2025-09-17'],
      ['reminded', '2025-10-02'],
    ].map(([status, day], ID) => ({ ID, status, date: `${day}T10:00:00.000Z`, previousDate: [] }));
    cases = [caseOf(1, { status: 'reminded', waiting: true, history, unreadCount: 2 })];
    await show();
    const shown = card('shop1.example');
    await expect
      .element(shown.getByRole('link', { name: 'Open shop1.example in a new tab' }))
      .toHaveAttribute('href', 'https://shop1.example');
    const site = shown.getByRole('link', { name: 'Open shop1.example in a new tab' });
    await expect.element(site).toHaveAttribute('target', '_blank');
    await expect.element(site).toHaveAttribute('rel', expect.stringContaining('noopener'));
    await expect.element(shown.getByRole('img', { name: 'France' })).toBeVisible();
    for (const text of [
      'Google',
      'Maison Brivault',
      'Last seen 14/10/2026',
      '11 / 30 d',
      'reminded',
      'waiting for an answer',
      '2 unread e-mails',
    ])
      await expect.element(shown).toHaveTextContent(text);
    for (const [term, count] of [
      ['Received', '1'],
      ['Sent', '3'],
      ['Reminders', '2'],
    ] as const) {
      const value = [...document.querySelectorAll('dt')].find(
        ({ textContent }) => textContent === term,
      )?.nextElementSibling;
      expect(value?.textContent, term).toBe(count);
    }
    const nodes = shown.getByRole('list', { name: 'History' }).getByRole('listitem').elements();
    expect(nodes.map((node) => node.querySelector('.visually-hidden')?.textContent)).toEqual([
      'new 01/09/2025',
      'requested 02/09/2025',
      'Notified 03/09/2025',
      'reminded 02/10/2025 (before: 17/09/2025)',
    ]);
    expect(nodes.at(-1)?.textContent).toContain('×2');
  });

  it.each([
    [1920, 5],
    [1440, 4],
  ])('folds an old history to what a window of %i px has room for', async (width, most) => {
    await page.viewport(width, 900);
    const history = Array.from({ length: 8 }, (_, ID) => ({
      ID,
      status: ID % 2 ? 'requested' : 'new',
      date: `2025-09-0${ID + 1}T10:00:00.000Z`,
      previousDate: [],
    }));
    cases = [caseOf(1, { history })];
    await show();
    const nodes = card('shop1.example').getByRole('list', { name: 'History' }).getByRole('listitem').elements();
    expect(nodes).toHaveLength(most + 1);
    expect(nodes[0]?.textContent).toContain(`+${8 - most}`);
    expect(nodes[0]?.getAttribute('title')).toMatch(/^new 01\/09\/2025, requested 02\/09\/2025, new 03\/09\/2025/);
  });

  it('says why it is blocked', async () => {
    const at = '2026-10-02T07:00:00.000Z';
    cases = [
      caseOf(1, {
        status: 'blocked',
        blockedDate: at,
        metas: { blockedReason: [{ date: at, reason: 'reminder_quota_reached' }] },
      }),
    ];
    await show();
    await expect.element(card('shop1.example')).toHaveTextContent('reminder quota reached');
  });

  it('says what comes next, and when', async () => {
    const next = (code: string, params = {}) => ({ code, date: '2025-10-17T07:00:00.000Z', params });
    cases = [
      caseOf(1, { status: 'inprogress', waiting: true, next: next('reminder', { number: 2 }) }),
      caseOf(2, { status: 'reminded', waiting: true, next: next('block', { reason: 'reminder_quota_reached' }) }),
      caseOf(3, { status: 'inprogress', next: next('ours') }),
      caseOf(4, { status: 'requested', next: next('noContact') }),
    ];
    await show();
    await expect.element(card('shop1.example')).toHaveTextContent('Reminder 2 on 17/10/25');
    await expect.element(card('shop2.example')).toHaveTextContent('Blocks on 17/10/25: reminder quota reached');
    await expect.element(card('shop3.example')).toHaveTextContent('Ours to answer');
    await expect.element(card('shop4.example')).toHaveTextContent('No contact to write to');
  });

  it('copies the domain, and confirms it half a second later for a second and a half', async () => {
    await show();
    const button = page.getByRole('button', { name: 'Copy shop2.example' });
    await userEvent.click(button);
    const clicked = performance.now();
    expect(copied).toHaveBeenCalledWith('shop2.example');
    const text = () => button.element().querySelector('[aria-live]')?.textContent ?? '';
    const times: { at: number; text: string }[] = [];
    await vi.waitFor(
      () => {
        times.push({ at: performance.now() - clicked, text: text() });
        expect(times.some((one) => one.text !== '') && text() === '').toBe(true);
      },
      { timeout: 5_000, interval: 20 },
    );
    const seen = times.filter((one) => one.text === 'Domain name copied!').map(({ at }) => at);
    expect(Math.min(...seen)).toBeGreaterThan(300);
    expect(Math.max(...seen)).toBeGreaterThan(1_000);
    expect(Math.max(...seen)).toBeLessThan(2_200);
  });

  it('opens its case by a click anywhere, and the list comes back as it was left without another search', async () => {
    cases = Array.from({ length: 30 }, (_, index) => caseOf(index + 1));
    const { path, back } = await show();
    const far = card('shop20.example');
    far.element().scrollIntoView({ block: 'center' });
    const { top } = far.element().getBoundingClientRect();
    await userEvent.click(far.getByText('11 / 30 d'));
    await vi.waitFor(() => expect(path()).toBe('/action/20'));
    await expect.element(page.getByText('shop20.example')).not.toBeInTheDocument();
    const searches = found.mock.calls.length;
    back();
    await vi.waitFor(() => expect(focused()).toBe('shop20.example'));
    expect(Math.abs(card('shop20.example').element().getBoundingClientRect().top - top)).toBeLessThan(2);
    expect(found.mock.calls.length).toBe(searches);
  });

  it('shows less where it is compact, which is remembered', async () => {
    await show();
    const height = () => card('shop1.example').element().getBoundingClientRect().height;
    expect(height()).toBeGreaterThan(95);
    await userEvent.click(page.getByRole('button', { name: 'Compact cards' }));
    await vi.waitFor(() => expect(height()).toBeLessThan(75));
    await expect.element(card('shop1.example')).toHaveTextContent('Received 1');
    cleanup();
    await show();
    expect(height()).toBeLessThan(75);
  });

  it('follows a link of its own and changes where it is', async () => {
    changed.mockImplementation(() => Response.json({ data: caseOf(2, { status: 'requested' }) }));
    await show();
    await userEvent.click(page.getByRole('button', { name: 'More for shop2.example' }));
    expect(
      page
        .getByRole('menuitem')
        .elements()
        .map(({ textContent }) => textContent),
    ).toEqual(['request', 'ignore', 'Tags']);
    await userEvent.click(page.getByRole('menuitem', { name: 'request' }));
    await expect.element(card('shop2.example')).toHaveTextContent('To notify');
    expect(changed).toHaveBeenCalledWith('requested', [2]);
    expect(
      page
        .getByRole('link', { name: /^Open the case/ })
        .elements()
        .map(({ textContent }) => textContent),
    ).toEqual(['shop1.example', 'shop2.example', 'shop3.example']);
  });
});

describe('the keys', () => {
  it('move between cards, open one, and select one or several', async () => {
    const { path } = await show();
    await userEvent.keyboard('j');
    await vi.waitFor(() => expect(focused()).toBe('shop1.example'));
    await userEvent.keyboard('j');
    await vi.waitFor(() => expect(focused()).toBe('shop2.example'));
    await userEvent.keyboard('k');
    await vi.waitFor(() => expect(focused()).toBe('shop1.example'));
    await userEvent.keyboard('x');
    await expect.element(bar).toHaveTextContent('1 row selected');
    await userEvent.keyboard('jj');
    await vi.waitFor(() => expect(focused()).toBe('shop3.example'));
    await userEvent.keyboard('X');
    await expect.element(bar).toHaveTextContent('3 rows selected');
    await userEvent.keyboard('{Escape}');
    await expect.element(bar).not.toBeInTheDocument();
    await userEvent.keyboard('o');
    await vi.waitFor(() => expect(path()).toBe('/action/3'));
  });

  it('turn pages', async () => {
    found.mockImplementation((query) => ({
      ...(query.get('page[number]') === '2'
        ? pageOf([caseOf(9)], { prev: '/api/actions?page[number]=1' })
        : pageOf([caseOf(1)], { next: '/api/actions?page[number]=2' })),
      meta: { page: { total: 31 }, subTotal: {} },
    }));
    const { address } = await show();
    await userEvent.keyboard(']');
    await vi.waitFor(() => expect(address()).toMatchObject({ page: 2 }));
    await expect.element(card('shop9.example')).toBeVisible();
    await userEvent.keyboard('[[');
    await vi.waitFor(() => expect(address()).toMatchObject({ page: 1 }));
  });

  it('change the card in focus, or else those selected', async () => {
    await show();
    await userEvent.keyboard('jj');
    await vi.waitFor(() => expect(focused()).toBe('shop2.example'));
    await userEvent.keyboard('m');
    await vi.waitFor(() => expect(changed).toHaveBeenCalledWith('requested', [2]));
    await expect.element(page.getByText('1 requested')).toBeVisible();
    await userEvent.click(page.getByRole('checkbox', { name: 'Select shop1.example' }));
    await userEvent.click(page.getByRole('checkbox', { name: 'Select shop3.example' }));
    await userEvent.keyboard('i');
    await vi.waitFor(() => expect(changed).toHaveBeenLastCalledWith('ignored', [1, 3]));
    await expect.element(page.getByText('2 ignored')).toBeVisible();
  });

  it('are explained, and can be switched off', async () => {
    await show();
    await userEvent.keyboard('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    for (const text of ['Next and previous card', 'Request the selected cases, or the one in focus', 'Go to To do'])
      await expect.element(help).toHaveTextContent(text);
    await userEvent.click(help.getByRole('switch', { name: 'Single keys' }));
    await userEvent.click(help.getByRole('button', { name: 'Close' }));
    await expect.element(help).not.toBeInTheDocument();
    await userEvent.keyboard('j/');
    expect(document.activeElement?.closest('article, input')).toBeNull();
  });

  it('are letters in the search box', async () => {
    await show();
    await userEvent.keyboard('/');
    await vi.waitFor(() => expect(document.activeElement?.getAttribute('type')).toBe('search'));
    await userEvent.keyboard('xjm');
    expect(changed).not.toHaveBeenCalled();
    await expect.element(page.getByRole('searchbox')).toHaveValue('xjm');
  });
});

describe('a group', () => {
  it('is changed as far as it can be, and the rest is named in one line', async () => {
    cases = [caseOf(1), caseOf(2), caseOf(3, { status: 'ignored' }), caseOf(4, { status: 'requested' })];
    await show();
    await userEvent.click(page.getByRole('checkbox', { name: 'Select all rows of this page' }));
    await userEvent.click(bar.getByRole('button', { name: 'request', exact: true }));
    await expect.element(page.getByText('2 requested, 2 refused: 1 ignored and 1 requested')).toBeVisible();
    expect(changed).toHaveBeenCalledExactlyOnceWith('requested', [1, 2]);
    await expect.element(bar).not.toBeInTheDocument();
    await userEvent.click(page.getByRole('button', { name: 'Show', exact: true }));
    await expect
      .element(page.getByRole('link', { name: 'shop4.example', exact: true }))
      .toHaveAttribute('href', '/action/4');
    await userEvent.click(page.getByRole('button', { name: 'Close the result' }));
    await expect.element(page.getByText(/2 refused/)).not.toBeInTheDocument();
  });

  it('is changed without those that somebody else was faster with', async () => {
    changed.mockImplementation((_, ids) =>
      ids.includes(2)
        ? Response.json(
            {
              error: {
                statusCode: 409,
                code: 'TRANSITION_NOT_ALLOWED',
                message: 'no',
                details: { messages: { actionID: ['2'] } },
              },
            },
            { status: 409 },
          )
        : Response.json({ data: [] }),
    );
    await show();
    await userEvent.click(page.getByRole('checkbox', { name: 'Select all rows of this page' }));
    await userEvent.click(bar.getByRole('button', { name: 'ignore', exact: true }));
    await expect.element(page.getByText('2 ignored, 1 refused: new')).toBeVisible();
    expect(changed.mock.calls.map(([, ids]) => ids)).toEqual([
      [1, 2, 3],
      [1, 3],
    ]);
  });

  it('is chosen by Shift, and can mean all pages', async () => {
    const many = Array.from({ length: 40 }, (_, index) => caseOf(index + 1));
    found.mockImplementation((query) => ({
      ...pageOf(query.get('noPaging') ? many : many.slice(0, 30), { next: '/api/actions?x' }),
      meta: { page: { total: 40 }, subTotal: {} },
    }));
    await show();
    await userEvent.click(page.getByRole('checkbox', { name: 'Select shop1.example' }));
    await userEvent.click(page.getByRole('checkbox', { name: 'Select shop4.example' }), { modifiers: ['Shift'] });
    await expect.element(bar).toHaveTextContent('4 rows selected');
    await userEvent.click(page.getByRole('checkbox', { name: 'Select all rows of this page' }));
    await userEvent.click(bar.getByRole('button', { name: 'Select all 40 actions of all pages' }));
    await userEvent.click(bar.getByRole('button', { name: 'ignore', exact: true }));
    await expect.element(page.getByText('40 ignored')).toBeVisible();
    expect(changed.mock.calls[0]?.[1]).toHaveLength(40);
  });
});

describe('changes of others', () => {
  it('are shown on cards where they are, and counted', async () => {
    // Not those that this tab has changed in the tests before.
    cases = [caseOf(131), caseOf(132), caseOf(133)];
    await show();
    const [stream] = Stream.open;
    expect(stream?.url).toContain('/api/Actions/change-stream');
    // A capture has seen it again.
    stream?.say({ target: 132, type: 'update', data: { status: 'new', lastView: '2026-10-15T10:00:00Z' } });
    cases = [caseOf(131), caseOf(132, { status: 'ignored' }), caseOf(133)];
    stream?.say({ target: 132, type: 'update', data: { status: 'ignored' } });
    await expect.element(page.getByText('1 case changed.')).toBeVisible();
    await expect.element(card('shop132.example').getByText('ignored', { exact: true }).first()).toBeInTheDocument();
    stream?.say({ target: 77, type: 'update', data: { status: 'new' } });
    stream?.say({ target: 78, type: 'create', data: { status: 'new' } });
    await expect.element(page.getByText('2 cases changed.')).toBeVisible();
    cases = [caseOf(78), ...cases];
    await userEvent.click(page.getByRole('button', { name: 'Show', exact: true }));
    await expect.element(card('shop78.example')).toBeVisible();
    await expect.element(page.getByText(/changed\.$/)).not.toBeInTheDocument();
  });

  it('are not those made here', async () => {
    // Not those that this tab has changed in the tests before.
    cases = [caseOf(141), caseOf(142), caseOf(143)];
    await show();
    await userEvent.keyboard('j');
    await vi.waitFor(() => expect(focused()).toBe('shop141.example'));
    await userEvent.keyboard('m');
    await expect.element(page.getByText('1 requested')).toBeVisible();
    Stream.open[0]?.say({ target: 141, type: 'remove', where: { id: 141 } });
    Stream.open[0]?.say({ target: 143, type: 'remove', where: { id: 143 } });
    await expect.element(page.getByText('1 case changed.')).toBeVisible();
  });
});

describe('an empty list', () => {
  it.each([
    ['en', actionsList, 'No result found', 'No action matches the search you made.'],
    ['fr', actionsList, 'Aucun résultat trouvé', 'Aucune action ne correspond à la recherche que vous avez faite.'],
    ['en', todoList, 'You have earned a break ;)', 'You have no unread e-mail for the moment.'],
    ['fr', todoList, 'Vous avez mérité une pause ;)', "Vous n'avez aucun e-mail non lu pour le moment."],
  ] as const)('says so in %s', async (language, list, title, text) => {
    await speak(language);
    cases = [];
    await show(list as AnyListDef);
    await expect.element(page.getByText(title, { exact: true })).toBeVisible();
    await expect.element(page.getByText(text, { exact: true })).toBeVisible();
  });

  it('leads from what is to do to those who wait longest', async () => {
    cases = [];
    await show(todoList as AnyListDef);
    const href = page.getByRole('link', { name: 'See who has waited longest' }).element().getAttribute('href') ?? '';
    expect(decodeURIComponent(href)).toContain('/actions?');
    expect(decodeURIComponent(href)).toContain('"value":["inprogress","reminded"]');
  });
});

it('says in French that it failed, and tries again', async () => {
  await speak('fr');
  let failing = true;
  const answer = vi.mocked(window.fetch).getMockImplementation();
  vi.spyOn(window, 'fetch').mockImplementation(async (input) =>
    failing
      ? Response.json({ error: { statusCode: 500, message: 'broken' } }, { status: 500 })
      : (answer?.(input) as Promise<Response>),
  );
  renderList(actionsList, '/actions', operator);
  const panel = page.getByRole('alert').filter({ hasText: 'Réessayez plus tard' });
  await expect.element(panel).toHaveTextContent('Une erreur est survenue');
  await expect.element(panel).toHaveTextContent('Réessayez plus tard, si le problème persiste contactez-nous.');
  failing = false;
  await userEvent.click(panel.getByRole('button'));
  await expect.element(page.getByText('shop1.example')).toBeVisible();
});
