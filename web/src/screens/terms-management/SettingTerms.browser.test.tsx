import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Me } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderList } from '~/testing';
import { toast } from '~/ui/toast';
import { undoOffer } from '~/ui/undo';
import { settingTermsList } from './SettingTerms';

const administrator = { id: 1, email: 'a@vigie.example', roles: [{ name: 'admin' }] } as unknown as Me;
const user = { id: 2, email: 'u@vigie.example', roles: [] } as unknown as Me;

const brivault = { id: 5, name: 'Brivault Group' };
const kestrel = { id: 6, name: 'Kestrel Retail' };

const termRow = (id: number, term: string, change: object = {}) => ({
  id,
  term,
  engine: 'GOOGLE',
  keywordType: 'BRAND',
  state: 'enabled',
  region: null,
  every: 3_600_000,
  searchConvertRate: 0.05,
  brand: { id: 7, label: 'Maison Brivault' },
  localization: { locale: 'fr_FR', city: 'Paris' },
  categories: [],
  canBeAccessBy: [brivault],
  ...change,
});

let rows: object[];
/** How many terms the list has, where they are more than its page. */
let total: number | undefined;
/** Captures a day after a change, and the share of what Google may be asked. */
let plan: { after: number; share: number };
/** The quotas of company accounts that a change touches, and what becomes of new terms. */
let quotas: object[];
let becomes: object;
/** The runs of the terms, and what a synchronization answers. */
let runs: object[];
let synchronized: object;
/** What is planned on each engine, and the captures of company accounts. */
let routes: object[];
let uses: object[];
/** Methods and paths whose call fails. */
let failing: string[];
/** The state that the list shows. */
let asOf: string;
const sent: {
  call: string;
  query: URLSearchParams;
  body: unknown;
  seen: string | null;
  operation: string | null;
}[] = [];

const calls = (call: string) => sent.filter((one) => one.call === call);
const lists = () => calls('GET /api/Terms').length;
const lastFilter = () => JSON.parse(calls('GET /api/Terms').at(-1)?.query.get('filter') ?? '{}');

async function respond(input: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(input.url);
  const call = `${input.method} ${pathname}`;
  const text = await input.text();
  sent.push({
    call,
    query: searchParams,
    body: text === '' ? undefined : JSON.parse(text),
    seen: input.headers.get('X-Seen-At'),
    operation: input.headers.get('X-Operation'),
  });
  if (failing.includes(call)) {
    return Response.json({ error: { statusCode: 500, message: 'Internal Server Error' } }, { status: 500 });
  }
  switch (call) {
    case 'GET /api/Terms':
      return Response.json(rows, { headers: { 'X-As-Of': asOf } });
    case 'GET /api/Terms/count':
      return Response.json({ count: total ?? rows.length });
    case 'POST /api/Terms/planPreview': {
      const share = { before: 0.3, after: plan.share };
      const engine = {
        engine: 'google',
        country: null,
        limitPerHour: 1_000,
        perHour: { before: 300, after: 380 },
        share,
      };
      const asked: { newTerms?: { words: string[] } } = JSON.parse(text);
      const perDay = { before: 10, after: plan.after };
      const data = { terms: 1, perDay, engines: [engine], quotas };
      return Response.json({ data, ...(asked.newTerms && { newTerms: becomes }) });
    }
    case 'POST /api/Terms':
      return Response.json([{ id: 41 }, { id: 42 }], { headers: { 'X-Skipped': '1' } });
    case 'GET /api/operations/capacity':
      return Response.json({ asOf: '2026-03-02T08:00:00Z', routes });
    case 'GET /api/captureUse':
      return Response.json({ data: uses });
    case 'GET /api/termRuns':
      return Response.json({ data: runs });
    case 'POST /api/Terms/runNow':
      return Response.json({ data: { started: 2, underWay: 1, notCaptured: 0 } });
    case 'POST /api/Terms/fetchSearchStats':
      return Response.json({ data: synchronized });
    case 'GET /api/Localizations':
      return Response.json([
        { id: 3, locale: 'fr_FR', city: 'Paris', country: { en: 'France', fr: 'France' } },
        { id: 4, locale: 'de_DE', city: 'Berlin', country: { en: 'Germany', fr: 'Allemagne' } },
        { id: 5, locale: 'nl_NL', city: 'Bergen', region: 'Limburg' },
        { id: 6, locale: 'nl_NL', city: 'Bergen', region: 'North Holland' },
        { id: 7, locale: 'fr', city: 'Nowhere' },
      ]);
    case 'GET /api/monitoring/regions':
      return Response.json({ data: searchParams.get('country') === 'FR' ? [{ name: 'Bretagne' }] : [] });
    case 'GET /api/CompanyAccounts':
      return Response.json([brivault, kestrel]);
    case 'GET /api/brand':
      return Response.json({ data: [{ id: 8, label: 'Kestrel Outdoor' }] });
    default:
      return Response.json({ data: [], id: 1, count: 1 });
  }
}

async function show(me: Me = administrator, address = '/terms-management') {
  const shown = renderList(settingTermsList, address, me);
  await expect.element(page.getByText('brivault bag').first()).toBeVisible();
  return shown;
}

const menuOf = (term: string) => page.getByRole('button', { name: `What to do with ${term}` });
const dialog = () => page.getByRole('dialog');
const button = (name: string) => dialog().getByRole('button', { name, exact: true });

async function choose(label: string, option: string) {
  await userEvent.click(dialog().getByRole('combobox', { name: label }));
  await userEvent.click(page.getByRole('option', { name: option }));
}

async function openFromMenu(term: string, item: string) {
  await userEvent.click(menuOf(term));
  await userEvent.click(page.getByRole('menuitem', { name: item, exact: true }));
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['list', ...settingTermsList.ns]);
});

beforeEach(async () => {
  await page.viewport(1440, 900);
  localStorage.clear();
  sessionStorage.clear();
  sent.length = 0;
  failing = [];
  total = undefined;
  asOf = '1795000000000001-7:7:';
  plan = { after: 1_250, share: 0.38 };
  quotas = [];
  becomes = { existing: [], brands: [], withoutBrand: [] };
  runs = [];
  routes = [];
  uses = [];
  synchronized = { isConnected: true, terms: 2, fetched: 2, waiting: 0, failed: 0 };
  rows = [termRow(1, 'brivault bag'), termRow(2, 'brivault outlet', { state: 'archived', canBeAccessBy: [] })];
  vi.spyOn(window, 'fetch').mockImplementation((input) => respond(input as Request));
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

describe('what limits the plan', () => {
  const google = { engine: 'google', proxy: null, countries: ['FR'], perMinute: 1, planned: [30, 90, 10], over: 30 };
  const kelmora = { companyAccountID: 4, name: 'Kelmora', quota: 100, planned: 82, used: 12 };

  it('is said at once: to administrators of the engines, to others of their quota alone', async () => {
    routes = [google];
    uses = [kelmora, { ...kelmora, companyAccountID: 5, name: 'Brivault', planned: 79 }];
    await show();
    const notice = page.getByRole('region', { name: 'Capacity' });
    await expect.element(notice).toHaveTextContent(/more is planned than Google may be asked\. 30 captures/);
    await expect.element(notice.getByRole('link')).toHaveAttribute('href', '/operations?tab=capacity');
    const quotas = page.getByRole('region', { name: 'Quotas of captures' });
    await expect.element(quotas).toHaveTextContent('Kelmora plans 82 captures a month of 100 (82%).');
    expect(quotas.getByText('Brivault').query()).toBeNull();
    cleanup();

    sent.length = 0;
    uses = [{ ...kelmora, used: 95 }];
    await show(user);
    await expect.element(quotas).toHaveTextContent('Kelmora has used 95 captures this month of 100 (95%).');
    expect(notice.query()).toBeNull();
    expect(calls('GET /api/operations/capacity')).toHaveLength(0);
  });
});

describe('the list of setting terms', () => {
  it('asks for 25 terms, the newest first, with what they are shown with', async () => {
    await show();
    expect(lastFilter()).toEqual({
      order: 'id DESC NULLS LAST',
      limit: 25,
      skip: 0,
      include: ['brand', 'localization', 'categories', 'canBeAccessBy'],
    });
  });

  it('shows each column to administrators, and the reduced table to others', async () => {
    const headings = () =>
      page
        .getByRole('columnheader')
        .elements()
        .map(({ textContent }) => textContent?.trim())
        .filter(Boolean);
    await show();
    expect(headings()).toEqual([
      'Term',
      'Location',
      'Region',
      'Engine',
      'Brand',
      'Type',
      'Tag',
      'Daily request',
      'State',
      'Runs',
      'Customer access',
      'Actions',
    ]);
    await expect.element(page.getByRole('button', { name: 'Add terms' })).toBeVisible();
    expect(page.getByTitle(/^Change the frequency/).elements()).toHaveLength(2);
    expect(page.getByRole('checkbox').elements()).toHaveLength(3);
    cleanup();
    await show(user);
    expect(headings()).toEqual(['Term', 'Engine', 'Brand', 'Type', 'Tag', 'Daily request', 'State', 'Runs']);
    expect(page.getByRole('checkbox').elements()).toHaveLength(0);
    expect(page.getByRole('button', { name: 'Add terms' }).elements()).toHaveLength(0);
    expect(page.getByTitle(/^Change the frequency/).elements()).toHaveLength(0);
  });

  it('shows the same on cards, without what others may not do', async () => {
    await page.viewport(390, 844);
    await show(user);
    expect(page.getByRole('checkbox').elements()).toHaveLength(0);
    expect(menuOf('brivault bag').elements()).toHaveLength(0);
    await expect.element(page.getByRole('article').first()).not.toHaveTextContent('Brivault Group');
    cleanup();
    await show();
    await expect.element(page.getByRole('article').first()).toHaveTextContent('Brivault Group');
    await expect.element(menuOf('brivault bag')).toBeVisible();
  });

  it.each([
    ['term', { type: 'contain', value: 'a.b' }, { term: { regexp: '/a\\.b/i' } }],
    ['brandId', { type: 'inq', value: [7] }, { brandId: { inq: [7] } }],
    ['canBeAccessBy', { type: 'inq', value: [5] }, { canBeAccessBy: { inq: [5] } }],
    ['engine', { type: 'inq', value: ['BING'] }, { engine: { inq: ['BING'] } }],
    ['localizationId', { type: 'inq', value: [3] }, { localizationId: { inq: [3] } }],
    ['state', { type: 'inq', value: ['archived'] }, { state: { inq: ['archived'] } }],
    ['categories', { type: 'inq', value: [9] }, { categories: { inq: [9] } }],
    ['keywordType', { type: 'inq', value: ['BRAND'] }, { keywordType: { inq: ['BRAND'] } }],
    ['campaign', { type: 'inq', value: ['adsShopping'] }, { 'options.saveShoppingAds': true }],
    [
      'campaign',
      { type: 'inq', value: ['onlyAds'] },
      { or: [{ 'options.saveShoppingAds': null }, { 'options.saveShoppingAds': false }] },
    ],
  ])('filters by %s', async (name, where, condition) => {
    await show(administrator, `/terms-management?${new URLSearchParams({ [name]: JSON.stringify(where) })}`);
    expect(lastFilter().where).toEqual({ and: [condition] });
    expect(JSON.parse(calls('GET /api/Terms/count').at(-1)?.query.get('where') ?? '')).toEqual({ and: [condition] });
  });

  it('says what auto comes to', async () => {
    rows = [
      termRow(1, 'brivault bag', { every: 0, searchStats: { monthly: 10_000 } }),
      termRow(2, 'brivault outlet', { every: 0 }),
    ];
    await show(user);
    await expect.element(page.getByText('auto · 2 hr')).toBeVisible();
    await expect.element(page.getByText('auto · 1 day')).toBeVisible();
  });

  it('says why it could not be loaded', async () => {
    failing = ['GET /api/Terms'];
    renderList(settingTermsList, '/terms-management', administrator);
    await expect.element(page.getByText('an error occurred', { exact: true })).toBeVisible();
  });

  it('says nothing of a count that failed', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    failing = ['GET /api/Terms/count'];
    await show();
    expect(page.getByRole('alert').elements()).toHaveLength(0);
  });
});

describe('the menu of a term', () => {
  it('leaves out the state that it has, and changes it in place', async () => {
    await show();
    await userEvent.click(menuOf('brivault outlet'));
    const items = () =>
      page
        .getByRole('menuitem')
        .elements()
        .map(({ textContent }) => textContent);
    await vi.waitFor(() => expect(items().slice(0, 2)).toEqual(['activate', 'desactivate']));
    const before = lists();
    await userEvent.click(page.getByRole('menuitem', { name: 'desactivate' }));
    await expect.element(page.getByText('disabled', { exact: true })).toBeVisible();
    expect(calls('PATCH /api/Terms/2').at(-1)?.body).toEqual({ state: 'disabled' });
    await userEvent.click(menuOf('brivault outlet'));
    await vi.waitFor(() => expect(items().slice(0, 2)).toEqual(['activate', 'archive']));
    expect(lists()).toBe(before);
  });

  it('says why a state could not be changed', async () => {
    failing = ['PATCH /api/Terms/1'];
    await show();
    await openFromMenu('brivault bag', 'archive');
    await expect.element(page.getByRole('alert')).toHaveTextContent('an error occurred');
    await expect.element(page.getByText('enabled', { exact: true })).toBeVisible();
  });

  it('changes the frequency in place', async () => {
    await show();
    const before = lists();
    await openFromMenu('brivault bag', 'Frequency');
    await expect.element(dialog()).toHaveTextContent('every day30.5');
    await expect.element(dialog().getByRole('textbox', { name: 'Search convert rate' })).toBeDisabled();
    await userEvent.click(dialog().getByRole('radio', { name: 'auto' }));
    await userEvent.fill(dialog().getByRole('textbox', { name: 'Search convert rate' }), '0');
    await expect.element(dialog()).toHaveTextContent('From 1 to 100');
    await userEvent.fill(dialog().getByRole('textbox', { name: 'Search convert rate' }), '20');
    await userEvent.click(button('Apply to 1 term'));
    await expect.element(page.getByText('Update done.')).toBeVisible();
    expect(calls('PATCH /api/Terms/1').at(-1)?.body).toEqual({ every: 0, searchConvertRate: 0.2 });
    await expect.element(page.getByText('auto · 1 day')).toBeVisible();
    expect(lists()).toBe(before);
  });

  it('warns of a frequency that cannot be kept, and says when the cost is not known', async () => {
    plan = { after: 10, share: 1.2 };
    await show();
    await openFromMenu('brivault bag', 'Frequency');
    await expect
      .element(dialog().getByRole('status'))
      .toHaveTextContent('As many captures as now, 120% of what Google may be asked per hourThis plan cannot be kept');
    failing = ['POST /api/Terms/planPreview'];
    await userEvent.click(dialog().getByRole('radio', { name: 'every day' }));
    await expect.element(dialog().getByRole('status')).toHaveTextContent('What this costs could not be calculated.');
  });

  it('plans with the rate that is entered, and warns of a quota that refuses the change', async () => {
    quotas = [{ companyAccountID: 5, name: 'Brivault Group', quota: 100, perMonth: { before: 90, after: 95 } }];
    await show();
    await openFromMenu('brivault bag', 'Frequency');
    await userEvent.click(dialog().getByRole('radio', { name: 'auto' }));
    await userEvent.fill(dialog().getByRole('textbox', { name: 'Search convert rate' }), '20');
    const status = () => dialog().getByRole('status');
    await vi.waitFor(() =>
      expect(calls('POST /api/Terms/planPreview').at(-1)?.body).toEqual({
        ids: [1],
        change: { every: 0, searchConvertRate: 0.2 },
      }),
    );
    await expect.element(status()).toHaveTextContent('Brivault Group: 95 of 100 captures a month');
    await expect.element(status()).not.toHaveTextContent('will be refused');
    quotas = [{ companyAccountID: 5, name: 'Brivault Group', quota: 100, perMonth: { before: 90, after: 101 } }];
    await userEvent.click(dialog().getByRole('radio', { name: 'every hour' }));
    await expect.element(status()).toHaveTextContent('exceeds the quota of Brivault Group, and will be refused.');
  });

  it('keeps an interval that is none of the listed ones as a choice', async () => {
    rows = [termRow(1, 'brivault bag', { every: 28_800_000 })];
    await show();
    await expect.element(page.getByRole('button', { name: 'every 8 hr' })).toBeVisible();
    await openFromMenu('brivault bag', 'Frequency');
    await expect.element(dialog().getByRole('radio', { name: 'every 8 hr' })).toBeChecked();
    await expect.element(dialog().getByRole('radio', { name: 'every 8 hr' })).toHaveFocus();
    expect(dialog().getByRole('radio').elements()).toHaveLength(10);
  });

  it('leaves a rate that was not edited as it is', async () => {
    rows = [termRow(1, 'brivault bag', { every: 0, searchConvertRate: 0.125 }), termRow(2, 'brivault outlet')];
    await show();
    await openFromMenu('brivault bag', 'Frequency');
    await expect.element(dialog().getByRole('textbox', { name: 'Search convert rate' })).toHaveValue('13');
    await expect.element(dialog().getByRole('radio', { name: 'auto' })).toHaveFocus();
    await userEvent.click(button('Apply to 1 term'));
    await vi.waitFor(() => expect(calls('PATCH /api/Terms/1').at(-1)?.body).toEqual({ every: 0 }));
  });

  it('says how a change of the frequency failed, and loads the list again', async () => {
    failing = ['PATCH /api/Terms/1'];
    await show();
    const before = lists();
    await openFromMenu('brivault bag', 'Frequency');
    await userEvent.click(dialog().getByRole('radio', { name: 'every day' }));
    await userEvent.click(button('Apply to 1 term'));
    await expect.element(page.getByText('Update done.')).toBeVisible();
    await expect.element(page.getByText('Update failed')).toBeVisible();
    await vi.waitFor(() => expect(lists()).toBe(before + 1));
  });

  it('closes without a request when no brand is chosen, and clears the brand when none is wanted', async () => {
    await show();
    await openFromMenu('brivault bag', 'Brand and type');
    await userEvent.click(dialog().getByRole('combobox', { name: 'Brand' }));
    await userEvent.clear(dialog().getByRole('combobox', { name: 'Brand' }));
    await userEvent.click(page.getByRole('option', { name: 'Kestrel Outdoor' }));
    await userEvent.click(button('Apply to 1 term'));
    await expect.element(page.getByText('Term updated')).toBeVisible();
    expect(calls('PATCH /api/Terms/1').at(-1)?.body).toEqual({ keywordType: 'BRAND', brandId: 8 });
    await openFromMenu('brivault bag', 'Brand and type');
    await userEvent.click(dialog().getByRole('combobox', { name: 'Brand' }));
    await userEvent.clear(dialog().getByRole('combobox', { name: 'Brand' }));
    await userEvent.click(page.getByRole('option', { name: 'No brand' }));
    await choose('Keyword type', 'Generic+brand');
    await userEvent.click(button('Apply to 1 term'));
    await vi.waitFor(() =>
      expect(calls('PATCH /api/Terms/1').at(-1)?.body).toEqual({ keywordType: 'GENERIC_BRAND', brandId: null }),
    );
  });

  it('asks for a company account, and links and unlinks what changed', async () => {
    await show();
    await openFromMenu('brivault outlet', 'Customer access');
    await userEvent.click(button('Apply to 1 term'));
    await expect.element(page.getByText('You must select a company account')).toBeVisible();
    await userEvent.click(button('Cancel'));
    await openFromMenu('brivault bag', 'Customer access');
    await userEvent.click(dialog().getByRole('combobox', { name: 'Company accounts' }));
    await userEvent.keyboard('{Backspace}');
    await userEvent.click(page.getByRole('option', { name: 'Kestrel Retail' }));
    await userEvent.keyboard('{Escape}');
    await userEvent.click(button('Apply to 1 term'));
    await expect.element(page.getByText('Company account access updated.')).toBeVisible();
    const [linked] = calls('POST /api/Terms/changeAccess');
    expect(linked?.body).toEqual({ terms: [1], add: [6], remove: [5] });
    expect(undoOffer.get()).toMatchObject({ operation: linked?.operation, text: '1 term changed' });
  });

  it('deletes after a confirmation, without another request', async () => {
    await show();
    const before = lists();
    await openFromMenu('brivault outlet', 'Delete');
    expect(calls('DELETE /api/Terms/2')).toHaveLength(0);
    await userEvent.click(button('Delete'));
    await expect.element(page.getByText('term deleted')).toBeVisible();
    expect(calls('DELETE /api/Terms/2')).toHaveLength(1);
    await expect.poll(() => menuOf('brivault outlet').elements()).toHaveLength(0);
    expect(lists()).toBe(before);
  });
});

describe('the runs of terms', () => {
  const run = (termID: number, lastRun: object | null, nextRun: string | null = null, isUnderWay = false) => ({
    termID,
    device: 'desktop',
    nextRun,
    isUnderWay,
    lastRun,
  });
  const ended = (change: object) => ({
    requestID: 'r1',
    date: new Date(Date.now() - 3_700_000).toISOString(),
    state: 'verified',
    reason: null,
    verdict: 'results',
    ads: 3,
    ...change,
  });

  it('are asked for once for the whole page, and link to the capture of the last one', async () => {
    const soon = new Date(Date.now() + 7_500_000).toISOString();
    runs = [run(1, ended({}), soon), run(2, ended({ state: 'failed', reason: 'captcha', verdict: null, ads: null }))];
    await show(user);
    const link = page.getByRole('link', { name: '3 ads · 1 hour ago' });
    await expect.element(link).toHaveAttribute('href', '/terms/capture/r1');
    await expect.element(page.getByText('3 ads')).toBeVisible();
    await expect.element(page.getByText('next in 2 hours')).toBeVisible();
    await expect.element(page.getByText('failed')).toBeVisible();
    expect(page.getByRole('link', { name: 'ago' }).elements()).toHaveLength(1);
    expect(calls('GET /api/termRuns')).toHaveLength(1);
    expect(calls('GET /api/termRuns')[0]?.query.getAll('rows[]')).toEqual(['1', '2']);
  });

  it('are unknown when they cannot be loaded, beside the terms', async () => {
    failing = ['GET /api/termRuns'];
    await show();
    await expect.element(page.getByText('runs unknown').first()).toBeVisible();
  });

  it('are started for active terms, and asked for again', async () => {
    await show();
    await userEvent.click(menuOf('brivault outlet'));
    await expect.element(page.getByRole('menuitem', { name: 'Run now' })).toBeDisabled();
    cleanup();
    await show();
    await openFromMenu('brivault bag', 'Run now');
    await expect.element(page.getByText('2 captures started')).toBeVisible();
    await expect.element(page.getByText('1 capture waits or is under way already')).toBeVisible();
    expect(calls('POST /api/Terms/runNow').at(-1)?.body).toEqual({ ids: [1] });
    await vi.waitFor(() => expect(calls('GET /api/termRuns').length).toBeGreaterThan(1));
  });
});

describe('the synchronization', () => {
  const start = () => openFromMenu('brivault bag', 'Synchronization');

  it('says that it is done, and loads the list again', async () => {
    await show();
    const before = lists();
    await start();
    await expect.element(page.getByText('Synchronization done.')).toBeVisible();
    expect(calls('POST /api/Terms/fetchSearchStats').at(-1)?.body).toEqual({ where: { id: { inq: [1] } } });
    await vi.waitFor(() => expect(lists()).toBe(before + 1));
  });

  it.each([
    [{ isConnected: false }, 'No source of search volumes is connected'],
    [{ failed: 2 }, 'The searches of 2 terms could not be read.'],
  ])('says that it failed, and why: %o', async (change, why) => {
    synchronized = { ...synchronized, ...change };
    await show();
    await userEvent.click(page.getByRole('checkbox', { name: /Select all/ }));
    await userEvent.click(page.getByRole('toolbar').getByRole('button', { name: 'Synchronization' }));
    await expect.element(page.getByRole('alert')).toHaveTextContent('Synchronization failed.');
    await expect.element(page.getByRole('alert')).toHaveTextContent(why);
    expect(calls('POST /api/Terms/fetchSearchStats').at(-1)?.body).toEqual({ where: { id: { inq: [1, 2] } } });
  });

  it('says that it failed when the server refuses', async () => {
    failing = ['POST /api/Terms/fetchSearchStats'];
    await show();
    await start();
    await expect.element(page.getByText('Synchronization failed.')).toBeVisible();
  });
});

describe('several terms', () => {
  const selectAll = () => userEvent.click(page.getByRole('checkbox', { name: /Select all/ }));
  const bar = () => page.getByRole('toolbar');

  it('are changed with one call, then loaded and counted again', async () => {
    await show();
    const before = lists();
    await selectAll();
    await userEvent.click(bar().getByRole('button', { name: 'desactivate' }));
    expect(calls('PATCH /api/Terms')).toHaveLength(0);
    await userEvent.click(button('Apply to 2 terms'));
    await vi.waitFor(() => expect(lists()).toBe(before + 1));
    const [call] = calls('PATCH /api/Terms');
    expect(call?.body).toEqual({ state: 'disabled' });
    expect(JSON.parse(call?.query.get('where') ?? '')).toEqual({ id: { inq: [1, 2] } });
    expect(calls('GET /api/Terms/count')).toHaveLength(before + 1);
  });

  it('show what a change of their state costs before it is made', async () => {
    await show();
    await selectAll();
    await userEvent.click(bar().getByRole('button', { name: 'activate', exact: true }));
    await expect.element(dialog()).toHaveTextContent('Activate 2 terms?');
    await expect
      .element(dialog().getByRole('status'))
      .toHaveTextContent('+1,240 captures a day, 38% of what Google may be asked per hour');
    expect(calls('POST /api/Terms/planPreview')[0]?.body).toEqual({ ids: [1, 2], change: { state: 'enabled' } });
  });

  it('can be all of the list, on every page, by one call that names their number first', async () => {
    total = 1_248;
    await show(administrator, `/terms-management?${new URLSearchParams({ brandId: '{"type":"inq","value":[7]}' })}`);
    await selectAll();
    await expect.element(bar()).toHaveTextContent('2 rows selected');
    await userEvent.click(bar().getByRole('button', { name: 'Select all 1,248 terms of this list' }));
    await expect.element(bar()).toHaveTextContent('All 1,248 rows selected');
    expect(bar().getByRole('button', { name: 'Customer access' }).query()).toBeNull();
    await userEvent.click(bar().getByRole('button', { name: 'Frequency' }));
    await expect.element(dialog()).toHaveTextContent('Frequency of 1,248 terms');
    await expect.element(dialog()).toHaveTextContent('This is about all 1,248 terms of the list');
    await userEvent.click(dialog().getByRole('radio', { name: 'every day' }));
    const where = { and: [{ brandId: { inq: [7] } }] };
    await vi.waitFor(() =>
      expect(calls('POST /api/Terms/planPreview').at(-1)?.body).toEqual({ where, change: { every: 86_400_000 } }),
    );
    await userEvent.click(button('Apply to 1,248 terms'));
    await expect.element(page.getByText('Update done.')).toBeVisible();
    const [call] = calls('PATCH /api/Terms');
    expect(call?.body).toEqual({ every: 86_400_000 });
    expect(JSON.parse(call?.query.get('where') ?? '')).toEqual(where);
    expect(call?.query.get('confirm')).toBe('all');
    await vi.waitFor(() => expect(bar().query()).toBeNull());
  });

  it('are all deleted only once that is confirmed twice', async () => {
    total = 1_248;
    await show();
    await selectAll();
    await userEvent.click(bar().getByRole('button', { name: 'Select all 1,248 terms of this list' }));
    await userEvent.click(bar().getByRole('button', { name: 'Delete' }));
    await expect.element(dialog()).toHaveTextContent('Delete 1,248 terms?');
    await expect.element(button('Delete')).toBeDisabled();
    await userEvent.click(dialog().getByRole('checkbox', { name: 'Yes, delete all 1,248 terms of the list' }));
    await userEvent.click(button('Delete'));
    await expect.element(page.getByText('terms deleted')).toBeVisible();
    const [call] = calls('DELETE /api/Terms');
    expect(call?.query.get('where')).toBe('{}');
    expect(call?.query.get('confirm')).toBe('all');
  });

  it('are those of the page again once another row is ticked or the list is another', async () => {
    total = 1_248;
    await show();
    await selectAll();
    await userEvent.click(bar().getByRole('button', { name: 'Select all 1,248 terms of this list' }));
    await userEvent.click(page.getByRole('checkbox').nth(2));
    await expect.element(bar()).toHaveTextContent('1 row selected');
    await userEvent.click(page.getByRole('checkbox').nth(2));
    await expect.element(bar()).toHaveTextContent('2 rows selected');
  });

  it('cannot be all where they are more than the server changes at once', async () => {
    total = 10_001;
    await show();
    await selectAll();
    await expect.element(bar()).toHaveTextContent('At most 10,000 rows can be changed at once');
    expect(
      bar()
        .getByRole('button', { name: /^Select all/ })
        .query(),
    ).toBeNull();
  });

  it('get the same options, and hear that theirs differ', async () => {
    rows = [termRow(1, 'brivault bag', { options: { saveShoppingAds: true } }), termRow(2, 'brivault outlet')];
    await show();
    await selectAll();
    await userEvent.click(bar().getByRole('button', { name: 'Options' }));
    await expect.element(dialog()).toHaveTextContent('These terms differ.');
    await userEvent.click(dialog().getByRole('checkbox', { name: 'Organic results' }));
    await choose('Delay for organic results', '1 month');
    await userEvent.click(button('Apply to 2 terms'));
    await vi.waitFor(() => expect(calls('PATCH /api/Terms')).toHaveLength(1));
    expect(calls('PATCH /api/Terms')[0]?.body).toEqual({
      options: {
        saveOrganicResults: true,
        disableSaveAds: false,
        saveShoppingAds: false,
        delayForOrganicResults: 2_635_200_000,
      },
    });
  });

  it('close the modal without a request when no brand is chosen', async () => {
    rows = [termRow(1, 'brivault bag'), termRow(2, 'brivault outlet', { brand: null })];
    await show();
    await selectAll();
    await userEvent.click(bar().getByRole('button', { name: 'Brand and type' }));
    await userEvent.click(button('Apply to 2 terms'));
    await vi.waitFor(() => expect(dialog().elements()).toHaveLength(0));
    expect(calls('PATCH /api/Terms')).toHaveLength(0);
  });

  it('are changed as far as nobody else did since they were loaded, by whatever changes them', async () => {
    total = 1_248;
    await show();
    await openFromMenu('brivault bag', 'desactivate');
    await vi.waitFor(() => expect(calls('PATCH /api/Terms/1').at(-1)?.seen).toBe(asOf));
    await selectAll();
    await userEvent.click(bar().getByRole('button', { name: 'archive' }));
    await userEvent.click(button('Apply to 2 terms'));
    await vi.waitFor(() => expect(calls('PATCH /api/Terms').at(-1)?.seen).toBe(asOf));
    await vi.waitFor(() => expect(dialog().elements()).toHaveLength(0));
    await selectAll();
    await userEvent.click(bar().getByRole('button', { name: 'Select all 1,248 terms of this list' }));
    await userEvent.click(bar().getByRole('button', { name: 'Delete' }));
    await userEvent.click(dialog().getByRole('checkbox', { name: /^Yes, delete all/ }));
    await userEvent.click(button('Delete'));
    await vi.waitFor(() => expect(calls('DELETE /api/Terms').at(-1)?.seen).toBe(asOf));
  });

  it('are changed by what was seen when the modal opened, though the list is loaded again behind it', async () => {
    const opened = asOf;
    await show();
    await selectAll();
    await userEvent.click(bar().getByRole('button', { name: 'desactivate' }));
    const before = lists();
    asOf = '1795000000000009-9:9:';
    window.dispatchEvent(new Event('visibilitychange'));
    await vi.waitFor(() => expect(lists()).toBe(before + 1));
    await userEvent.click(button('Apply to 2 terms'));
    await vi.waitFor(() => expect(calls('PATCH /api/Terms')[0]?.seen).toBe(opened));
  });

  it('are deleted with one call', async () => {
    await show();
    await selectAll();
    await userEvent.click(bar().getByRole('button', { name: 'Delete' }));
    await userEvent.click(button('Delete'));
    await expect.element(page.getByText('terms deleted')).toBeVisible();
    expect(JSON.parse(calls('DELETE /api/Terms')[0]?.query.get('where') ?? '')).toEqual({ id: { inq: [1, 2] } });
  });
});

describe('the form of new terms', () => {
  const keywords = () => dialog().getByRole('combobox', { name: 'Keywords' });
  const submit = (count: number) => button(`Add ${count} term${count === 1 ? '' : 's'}`);

  async function open() {
    const shown = await show();
    await userEvent.click(page.getByRole('button', { name: 'Add terms' }));
    await expect.element(keywords()).toBeVisible();
    return shown;
  }

  async function choosePlace(text: string, name: string) {
    await userEvent.fill(dialog().getByRole('combobox', { name: 'Localization' }), text);
    await userEvent.click(page.getByRole('option', { name }));
  }

  it('starts with Google, classic ads and active terms, and cannot be sent yet', async () => {
    await open();
    await expect.element(dialog().getByRole('combobox', { name: 'Engine' })).toHaveValue('Google');
    await expect.element(dialog().getByRole('checkbox', { name: 'Classic ads' })).toBeChecked();
    await expect.element(dialog().getByRole('checkbox', { name: 'Shopping ads' })).not.toBeChecked();
    await expect.element(dialog().getByRole('checkbox', { name: 'Activate the terms now' })).toBeChecked();
    await expect.element(dialog().getByRole('textbox', { name: 'Search convert rate' })).toHaveValue('5');
    await expect.element(submit(0)).toBeDisabled();
  });

  it('splits what is typed or left, and drops duplicates', async () => {
    await open();
    await userEvent.fill(keywords(), ' a ,, a;B|b');
    await userEvent.keyboard('{Enter}');
    await expect.element(dialog()).toHaveTextContent('2 keywords · 2 duplicates removed');
    await userEvent.fill(keywords(), 'left');
    await userEvent.click(dialog().getByRole('checkbox', { name: 'Shopping ads' }));
    await expect.element(dialog()).toHaveTextContent('3 keywords');
    await expect.element(submit(3)).toBeDisabled();
  });

  it('says what is missing, at its field', async () => {
    await open();
    await userEvent.click(keywords());
    await userEvent.click(dialog().getByRole('combobox', { name: 'Localization' }));
    await expect.element(dialog()).toHaveTextContent('You need at least one keyword.');
    await userEvent.click(keywords());
    await expect.element(dialog()).toHaveTextContent('You need to choice a localization.');
    await userEvent.fill(keywords(), 'x'.repeat(81));
    await userEvent.keyboard('{Enter}');
    await expect.element(dialog()).toHaveTextContent('is longer than 80 characters.');
    await userEvent.keyboard('{Backspace}');
    await userEvent.fill(keywords(), 'brivault soldes');
    await userEvent.keyboard('{Enter}');
    await choosePlace('no', 'Nowhere (fr)');
    await expect.element(dialog()).toHaveTextContent('This place names no country');
    await choosePlace('fr', 'Paris (fr_FR)');
    await expect.element(dialog()).not.toHaveTextContent('This place names no country');
    await userEvent.click(submit(1));
    await expect.element(dialog()).toHaveTextContent('You need to choice a daily requests.');
    expect(calls('POST /api/Terms')).toHaveLength(0);
  });

  const added = () => dialog().getByRole('complementary', { name: 'What this adds' });

  it('has the server plan them, and says nothing of a rate once auto is not chosen', async () => {
    await open();
    await userEvent.fill(keywords(), 'a;b');
    await userEvent.keyboard('{Enter}');
    await choosePlace('fr', 'Paris (fr_FR)');
    expect(calls('POST /api/Terms/planPreview')).toHaveLength(0);
    await choose('Daily requests', 'auto');
    await expect.element(added()).toHaveTextContent('Captured every day until volumes are known');
    await userEvent.fill(dialog().getByRole('textbox', { name: 'Search convert rate' }), '0');
    await expect.element(dialog()).toHaveTextContent('From 1 to 100');
    await choose('Daily requests', 'every hour');
    await expect.element(dialog()).not.toHaveTextContent('From 1 to 100');
    await expect
      .element(added().getByRole('status'))
      .toHaveTextContent('+1,240 captures a day, 38% of what Google may be asked per hour');
    await expect.element(added()).toHaveTextContent('First capturesin a few minutesCaptures a month38,125');
    expect(calls('POST /api/Terms/planPreview').at(-1)?.body).toEqual({
      newTerms: {
        words: ['a', 'b'],
        engine: 'GOOGLE',
        localizationId: 3,
        region: null,
        devices: ['DESKTOP'],
        every: 3_600_000,
        state: 'enabled',
        canBeAccessBy: [],
      },
    });
    plan = { after: 10, share: 0.3 };
    await userEvent.click(dialog().getByRole('checkbox', { name: 'Activate the terms now' }));
    await expect.element(added().getByRole('status')).toHaveTextContent('As many captures as now');
    await expect.element(added()).toHaveTextContent('First capturesonce they are activated');
  });

  it('shows which are there already, which brands the others join, and who sees those without one', async () => {
    becomes = {
      existing: [{ id: 9, term: 'b' }],
      brands: [{ id: 7, label: 'Maison Brivault', terms: 1 }],
      withoutBrand: ['c'],
    };
    quotas = [{ companyAccountID: 5, name: 'Brivault Group', quota: 100, perMonth: { before: 40, after: 120 } }];
    await open();
    await userEvent.fill(keywords(), 'a;b;c');
    await userEvent.keyboard('{Enter}');
    await choosePlace('fr', 'Paris (fr_FR)');
    await choose('Daily requests', 'every day');
    await expect.element(added()).toHaveTextContent('2 terms, 1 skipped');
    await expect.element(added()).toHaveTextContent('Maison Brivault1No brand1');
    await expect.element(added()).toHaveTextContent('“c” has no brand: only administrators will see it.');
    await expect.element(dialog()).toHaveTextContent('b already tracked');
    await expect
      .element(added().getByRole('link', { name: 'b (opens in a new tab)' }))
      .toHaveAttribute('target', '_blank');
    await expect.element(added().getByRole('status')).toHaveTextContent('Brivault Group: 120 of 100 captures a month');
    await expect
      .element(added().getByRole('status'))
      .toHaveTextContent('This exceeds the quota of Brivault Group, and will be refused.');
    await choose('Customer access', 'Kestrel Retail');
    await expect
      .element(added())
      .toHaveTextContent('“c” has no brand: only Kestrel Retail and administrators will see it.');
    await userEvent.keyboard('{Escape}');
    await expect.element(submit(2)).toBeEnabled();
  });

  it('says when the server cannot plan them, and sends them all the same', async () => {
    failing = ['POST /api/Terms/planPreview'];
    await open();
    await userEvent.fill(keywords(), 'a');
    await userEvent.keyboard('{Enter}');
    await choosePlace('fr', 'Paris (fr_FR)');
    await choose('Daily requests', 'every day');
    await expect.element(added()).toHaveTextContent('What this costs could not be calculated.');
    await userEvent.click(submit(1));
    await vi.waitFor(() => expect(calls('POST /api/Terms')).toHaveLength(1));
  });

  it('has room for all of it on a phone', async () => {
    await page.viewport(390, 844);
    await open();
    await userEvent.fill(keywords(), 'a');
    await userEvent.keyboard('{Enter}');
    await choosePlace('fr', 'Paris (fr_FR)');
    await choose('Daily requests', 'every day');
    await expect.element(added()).toBeInTheDocument();
    const { left, right } = added().element().getBoundingClientRect();
    expect(left).toBeGreaterThanOrEqual(0);
    expect(right).toBeLessThanOrEqual(390);
    await expect.element(submit(1)).toBeInViewport();
  });

  it('tells places of one name apart by their region, and finds them by names of the language', async () => {
    rows.push(termRow(3, 'fietstas', { localization: { locale: 'nl_NL', city: 'Bergen', region: 'Limburg' } }));
    await open();
    await expect.element(page.getByText('Bergen, Limburg', { exact: true })).toBeInTheDocument();
    await userEvent.fill(dialog().getByRole('combobox', { name: 'Localization' }), 'dutch');
    const filters = () => calls('GET /api/Localizations').map(({ query }) => JSON.parse(query.get('filter') ?? '{}'));
    const asked = await vi.waitFor(() => {
      const filter = filters().find(({ where }) => JSON.stringify(where ?? {}).includes('dutch'));
      expect(filter).toBeDefined();
      return filter;
    });
    expect(asked).toMatchObject({ order: 'locale ASC', limit: 10 });
    expect(asked.where.or).toContainEqual({ language: { inq: ['nl'] } });
    expect(asked.where.or).toContainEqual({ 'country.en': { regexp: expect.any(String) } });
    await userEvent.click(page.getByRole('option', { name: 'Bergen, North Holland (nl_NL)' }));
    await expect
      .element(dialog().getByRole('combobox', { name: 'Localization' }))
      .toHaveValue('Bergen, North Holland (nl_NL)');
  });

  it('offers regions of a country that has them, for Google only', async () => {
    await open();
    const region = () => dialog().getByRole('combobox', { name: 'Region' });
    await choosePlace('fr', 'Paris (fr_FR)');
    await expect.element(region()).toBeVisible();
    await choose('Engine', 'Bing');
    await vi.waitFor(() => expect(region().elements()).toHaveLength(0));
    await choose('Engine', 'Google');
    await expect.element(region()).toBeVisible();
    await choosePlace('de', 'Berlin (de_DE)');
    await vi.waitFor(() => expect(region().elements()).toHaveLength(0));
  });

  it('sends the terms as they are entered', async () => {
    await open();
    await userEvent.fill(keywords(), 'a;b;c');
    await userEvent.keyboard('{Enter}');
    await choosePlace('fr', 'Paris (fr_FR)');
    await choose('Region', 'Brittany');
    await choose('Daily requests', 'every week');
    await expect.element(dialog().getByRole('textbox', { name: 'Search convert rate' })).toBeDisabled();
    await choose('Customer access', 'Kestrel Retail');
    await userEvent.click(dialog().getByRole('checkbox', { name: 'mobile' }));
    await userEvent.click(dialog().getByRole('checkbox', { name: 'Activate the terms now' }));
    await userEvent.click(submit(3));
    const body = await vi.waitFor(() => {
      const [call] = calls('POST /api/Terms');
      expect(call).toBeDefined();
      return call?.body as { term: string }[];
    });
    expect(body.map(({ term }) => term)).toEqual(['a', 'b', 'c']);
    expect(body[0]).toEqual({
      term: 'a',
      localizationId: 3,
      engine: 'GOOGLE',
      region: 'Bretagne',
      every: 604_800_000,
      searchConvertRate: 0.05,
      devices: ['DESKTOP', 'MOBILE'],
      state: 'disabled',
      options: {
        saveOrganicResults: false,
        disableSaveAds: false,
        saveShoppingAds: false,
        delayForOrganicResults: 1_296_000_000,
      },
      canBeAccessBy: [6],
      categories: [],
    });
  });

  it('says what was skipped, and shows as many as were created', async () => {
    const { address } = await open();
    await userEvent.fill(keywords(), 'a;b;c');
    await userEvent.keyboard('{Enter}');
    await choosePlace('fr', 'Paris (fr_FR)');
    await choose('Daily requests', 'every week');
    await userEvent.click(submit(3));
    await expect.element(page.getByText('2 terms added')).toBeVisible();
    await expect.element(page.getByText('1 term was there already and is skipped')).toBeVisible();
    await vi.waitFor(() => expect(address()).toMatchObject({ perPage: 2, page: 1, order: 'id', direction: 'DESC' }));
    await vi.waitFor(() => expect(lastFilter()).toMatchObject({ limit: 2, order: 'id DESC NULLS LAST' }));
    await expect.element(page.getByRole('combobox', { name: 'Rows per page' })).toHaveValue('2');
    expect(calls('POST /api/Terms/fetchSearchStats')).toHaveLength(0);
  });

  it('has the searches of new terms read when their frequency is auto, and only then', async () => {
    await open();
    await userEvent.fill(keywords(), 'a;b');
    await userEvent.keyboard('{Enter}');
    await choosePlace('fr', 'Paris (fr_FR)');
    await choose('Daily requests', 'auto');
    await userEvent.fill(dialog().getByRole('textbox', { name: 'Search convert rate' }), '20');
    await userEvent.click(submit(2));
    await expect.element(page.getByText('Synchronization done.')).toBeVisible();
    expect(calls('POST /api/Terms/fetchSearchStats').map(({ body }) => body)).toEqual([
      { where: { id: { inq: [41, 42] } }, searchConvertRate: 0.2 },
    ]);
  });
});
