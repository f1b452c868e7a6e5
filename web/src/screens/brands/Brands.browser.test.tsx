import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Me } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderList } from '~/testing';
import { toast } from '~/ui/toast';
import { undoOffer } from '~/ui/undo';
import { brandsList } from './Brands';

const administrator = { id: 1, email: 'a@vigie.example', roles: [{ name: 'admin' }] } as unknown as Me;

const stored = () => [
  {
    id: 1,
    label: 'Maison Brivault',
    name: 'maison-brivault',
    autoMatchRegExp: '\\b(?:brivault|brivaut)\\b',
    autoMatchExcludeRegExp: 'rue',
    validated: true,
    createNotification: true,
    createShoppingNotification: false,
    notificationAuto: false,
    reminder: { autoReminder: true, frequency: 20, quota: 2, note: 'kept' },
    companyAccounts: [{ id: 4, label: 'Brivault Group' }],
    terms: [{ id: 9 }],
  },
  { id: 2, label: 'Kelmora', name: 'kelmora', validated: false, reminder: null, companyAccounts: [], terms: [] },
];

const RUNNING = {
  id: 12,
  brandId: 1,
  brand: 'Maison Brivault',
  rematchAll: false,
  begunAt: '2026-11-20T08:00:00Z',
  state: 'running',
  share: 0.34,
  matched: null,
  problem: null,
};
const MATCHED = { matching: 6, linked: 4, taken: 1, released: 1, lost: 0 };

const previewOf = (counts: object, examples: object = {}) => ({
  data: {
    total: 1_248,
    matching: 0,
    alreadyLinked: 0,
    linked: 0,
    taken: 0,
    contested: 0,
    excluded: 0,
    released: 0,
    ...counts,
  },
  meta: { newlyLinked: [], contested: [], excluded: [], alreadyLinked: [], released: [], ...examples },
});

interface Call {
  call: string;
  body: unknown;
}

let brands = stored();
let calls: Call[] = [];
let runs: object[];
let refuse: (call: string) => Response | undefined = () => undefined;
let preview = previewOf({});
let rejudged: { data: object; meta: { ignored: object[] } };
let officialTag: { id: number; name: string; dealers: { id: number; domain: string }[] } | undefined;

const failure = (status: number, code?: string, details?: object) =>
  Response.json(
    { error: { statusCode: status, message: 'Internal Server Error', ...(code && { code }), details } },
    { status },
  );

async function respond(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const call = `${request.method} ${pathname}`;
  const filter = JSON.parse(searchParams.get('filter') ?? '{}');
  if (call === 'POST /api/Brands/matchPreview') return refuse(call) ?? Response.json(preview);
  if (call.endsWith('officialDomainsPreview')) return refuse(call) ?? Response.json(rejudged);
  if (request.method !== 'GET') {
    const text = await request.text();
    calls.push({ call, body: text === '' ? undefined : JSON.parse(text) });
  }
  const refused = refuse(call);
  if (refused) return refused;
  if (call === 'GET /api/Brands/count') return Response.json({ count: brands.length });
  if (call === 'GET /api/Brands') {
    const { id } = filter.where ?? {};
    return Response.json(id ? brands.filter((brand) => id.inq.includes(brand.id)) : brands);
  }
  if (call === 'GET /api/CompanyAccounts') return Response.json([{ id: 5, label: 'Kelmora Retail' }]);
  if (call === 'GET /api/Categories') return Response.json(officialTag ? [officialTag] : []);
  if (call === 'GET /api/Brands/matchRuns') return Response.json({ data: runs });
  if (/^POST .*matchRuns$/.test(call)) {
    runs = [RUNNING];
    return Response.json({ id: RUNNING.id }, { status: 202 });
  }
  if (/^DELETE .*matchRuns/.test(call)) {
    runs = [];
    return new Response(null, { status: 204 });
  }
  if (/^POST .*autoMatch$/.test(call)) return Response.json({ matching: 6, linked: 4, taken: 1, released: 1, lost: 0 });
  if (call === 'POST /api/Brands') return Response.json({ id: 30 });
  if (call === 'POST /api/Brands/update') return Response.json({ count: 2 });
  return Response.json({});
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['brands', 'common', 'list']);
});

beforeEach(async () => {
  localStorage.clear();
  brands = stored();
  calls = [];
  preview = previewOf({});
  officialTag = undefined;
  rejudged = { data: { open: 3, ignored: 0 }, meta: { ignored: [] } };
  refuse = () => undefined;
  runs = [];
  vi.spyOn(window, 'fetch').mockImplementation((input) => respond(input as Request));
  await page.viewport(1440, 900);
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

async function show() {
  renderList(brandsList, '/brands', administrator);
  await expect.element(page.getByRole('button', { name: 'Maison Brivault', exact: true })).toBeVisible();
}

const dialog = () => page.getByRole('dialog');
const flag = (name: string) => page.getByRole('switch', { name, exact: true });

async function openMenu(name: string) {
  await userEvent.click(page.getByRole('button', { name: `What to do with ${name}` }));
}

describe('a switch of a brand', () => {
  it.each([390, 1440])('turns after a confirmation, at %i px', async (width) => {
    await page.viewport(width, 900);
    await show();
    await userEvent.click(flag('validated: Kelmora'));
    expect(calls).toEqual([]);
    await expect.element(dialog()).toHaveTextContent('Turn on “validated” for Kelmora?');
    await userEvent.click(dialog().getByRole('button', { name: 'Turn on' }));
    await expect.element(page.getByText('Update done.')).toBeVisible();
    expect(calls).toEqual([{ call: 'PATCH /api/Brands/2', body: { validated: true } }]);
  });

  it('leaves everything as it is when it is cancelled', async () => {
    await show();
    await userEvent.click(flag('validated: Kelmora'));
    await userEvent.click(dialog().getByRole('button', { name: 'Cancel' }));
    await expect.element(flag('validated: Kelmora')).not.toBeChecked();
    expect(calls).toEqual([]);
  });

  it('keeps what else the reminder holds', async () => {
    await show();
    await userEvent.click(flag('auto reminder: Maison Brivault'));
    await userEvent.click(dialog().getByRole('button', { name: 'Turn off' }));
    await expect.element(page.getByText('Update done.')).toBeVisible();
    expect(calls).toEqual([
      {
        call: 'PATCH /api/Brands/1',
        body: { reminder: { autoReminder: false, frequency: 20, quota: 2, note: 'kept' } },
      },
    ]);
  });

  it('says that and why it was not turned', async () => {
    await show();
    refuse = (call) => (call.startsWith('PATCH') ? failure(403) : undefined);
    await userEvent.click(flag('notification: Kelmora'));
    await userEvent.click(dialog().getByRole('button', { name: 'Turn on' }));
    await expect.element(page.getByText('Update failed')).toBeVisible();
    await expect.element(page.getByText('You are not allowed to do this.')).toBeVisible();
  });

  it('turns for all selected brands at once, each reminder with its own figures', async () => {
    await show();
    for (const box of await page.getByRole('checkbox', { name: /Press space to select/ }).all())
      await userEvent.click(box);
    const bar = page.getByRole('toolbar', { name: '2 rows selected' });
    await userEvent.click(bar.getByRole('button', { name: 'shopping notification' }));
    await userEvent.click(page.getByRole('menuitem', { name: 'Turn on' }));
    await expect.element(dialog()).toHaveTextContent('Turn on “shopping notification” for 2 brands?');
    await userEvent.click(dialog().getByRole('button', { name: 'Turn on' }));
    await expect.element(page.getByText('Update done.')).toBeVisible();
    expect(calls).toEqual([{ call: 'POST /api/Brands/update', body: { createShoppingNotification: true } }]);

    calls = [];
    await userEvent.click(bar.getByRole('button', { name: 'auto reminder' }));
    await userEvent.click(page.getByRole('menuitem', { name: 'Turn on' }));
    await userEvent.click(dialog().getByRole('button', { name: 'Turn on' }));
    await vi.waitFor(() => expect(calls).toHaveLength(2));
    expect(calls.map(({ body }) => body)).toEqual([
      { reminder: { autoReminder: true, frequency: 20, quota: 2, note: 'kept' } },
      { reminder: { autoReminder: true, frequency: 15, quota: 3 } },
    ]);
  });
});

describe('deleting a brand', () => {
  it('is offered for brands without enabled terms only', async () => {
    await show();
    await openMenu('Maison Brivault');
    await expect.element(page.getByRole('menuitem', { name: 'Update brand' })).toBeVisible();
    expect(page.getByRole('menuitem', { name: 'Delete brand' }).query()).toBeNull();
    await userEvent.keyboard('{Escape}');
    await openMenu('Kelmora');
    await userEvent.click(page.getByRole('menuitem', { name: 'Delete brand' }));
    await userEvent.click(dialog().getByRole('button', { name: 'Delete brand' }));
    await expect.element(page.getByText('brand deleted')).toBeVisible();
    expect(calls.map(({ call }) => call)).toEqual(['DELETE /api/Brands/2']);
  });

  it.each([390, 1440])('says why it was refused, at %i px', async (width) => {
    await page.viewport(width, 900);
    await show();
    refuse = (call) => (call.startsWith('DELETE') ? failure(409, 'BRAND_ENABLED') : undefined);
    await openMenu('Kelmora');
    await userEvent.click(page.getByRole('menuitem', { name: 'Delete brand' }));
    await userEvent.click(dialog().getByRole('button', { name: 'Delete brand' }));
    await expect.element(page.getByText(/This brand has enabled terms/)).toBeVisible();
  });
});

describe('the form', () => {
  const field = (name: string | RegExp) => dialog().getByRole('textbox', { name });

  it.each([390, 1440])('starts with the defaults, creates a brand and matches its terms, at %i px', async (width) => {
    await page.viewport(width, 900);
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Create a brand' }));
    await expect.element(field('days before relaunch')).toHaveValue('15');
    await expect.element(field('quota of notification')).toHaveValue('3');
    await userEvent.click(dialog().getByRole('button', { name: 'Save' }));
    await expect.element(dialog().getByText('The name is required')).toBeVisible();
    expect(calls).toEqual([]);

    await userEvent.fill(field('label'), 'Été Chic');
    await userEvent.fill(field('auto match'), 'ete|été');
    await userEvent.fill(field('Exclusion'), 'rue');
    await userEvent.click(dialog().getByRole('switch', { name: 'Strict, whole words only: Exclusion' }));
    await userEvent.click(dialog().getByRole('switch', { name: /^auto reminder/ }));
    await expect
      .element(dialog().getByText('Without an answer: reminders on days 15, 30, and 45, then blocked on day 60.'))
      .toBeVisible();
    await expect.element(dialog().getByText('of 1,248 terms match')).toBeVisible();
    await userEvent.click(dialog().getByRole('combobox', { name: 'Company accounts' }));
    await userEvent.click(page.getByRole('option', { name: 'Kelmora Retail' }));
    await userEvent.click(dialog().getByRole('button', { name: 'Save' }));
    await expect.element(page.getByText('brand created')).toBeVisible();
    expect(calls).toEqual([
      {
        call: 'POST /api/Brands',
        body: {
          label: 'Été Chic',
          autoMatchRegExp: '\\b(?:ete|été)\\b',
          autoMatchExcludeRegExp: 'rue',
          reminder: { autoReminder: true, frequency: 15, quota: 3 },
        },
      },
      { call: 'PUT /api/Brands/30/companyAccounts/rel/5', body: undefined },
      { call: 'POST /api/Brands/30/autoMatch', body: { options: { rematchAll: false } } },
    ]);
    await expect.element(page.getByText('Auto match done for Été Chic')).toBeVisible();
  });

  it('recognises a strict pattern, and changes neither the name nor what else the reminder holds', async () => {
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Maison Brivault', exact: true }));
    await expect.element(field('auto match')).toHaveValue('brivault|brivaut');
    await expect.element(dialog().getByRole('switch', { name: /Strict.*auto match/ })).toBeChecked();
    await expect.element(dialog().getByRole('switch', { name: /Strict.*Exclusion/ })).not.toBeChecked();
    await userEvent.fill(field('label'), 'Brivault');
    await userEvent.fill(field('quota of notification'), '3');
    await userEvent.click(dialog().getByRole('button', { name: 'Save' }));
    await expect.element(page.getByText('brand updated')).toBeVisible();
    expect(calls[0]).toEqual({
      call: 'PATCH /api/Brands/1',
      body: { label: 'Brivault', reminder: { autoReminder: true, frequency: 20, quota: 3, note: 'kept' } },
    });
  });

  it('leaves a reminder that the company account sets as it is', async () => {
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Kelmora', exact: true }));
    await expect.element(dialog().getByText(/^No reminder of its own yet/)).toBeVisible();
    await userEvent.click(dialog().getByRole('switch', { name: /^validated/ }));
    await userEvent.click(dialog().getByRole('button', { name: 'Save' }));
    await expect.element(page.getByText('brand updated')).toBeVisible();
    expect(calls).toEqual([{ call: 'PATCH /api/Brands/2', body: { validated: true } }]);
  });

  it('says that a company account was not linked, instead of success', async () => {
    refuse = (call) => (call.startsWith('PUT /api/Brands/2/companyAccounts') ? failure(500) : undefined);
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Kelmora', exact: true }));
    await userEvent.click(dialog().getByRole('combobox', { name: 'Company accounts' }));
    await userEvent.click(page.getByRole('option', { name: 'Kelmora Retail' }));
    await userEvent.click(dialog().getByRole('button', { name: 'Save' }));
    await expect.element(page.getByText('The brand is saved, but not every company account')).toBeVisible();
    expect(page.getByText('brand updated').query()).toBeNull();
  });

  it('says at the field what is wrong, and loses nothing', async () => {
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Create a brand' }));
    await userEvent.fill(field('label'), 'x'.repeat(256));
    await userEvent.fill(field('auto match'), '/foo/');
    await userEvent.fill(field('days before relaunch'), '366');
    await userEvent.fill(field('quota of notification'), '51');
    await userEvent.click(dialog().getByRole('button', { name: 'Save' }));
    await expect.element(dialog().getByText('At most 255 characters')).toBeVisible();
    await expect.element(dialog().getByText('Enter the pattern without slashes around it')).toBeVisible();
    await expect.element(dialog().getByText('A whole number from 1 to 365')).toBeVisible();
    await expect.element(dialog().getByText('A whole number from 0 to 50')).toBeVisible();
    expect(calls).toEqual([]);

    refuse = (call) =>
      call === 'POST /api/Brands'
        ? failure(422, undefined, {
            messages: { autoMatchRegExp: ['is not a regular expression'] },
            codes: { autoMatchRegExp: ['pattern'] },
          })
        : undefined;
    await userEvent.fill(field('label'), 'Okimarket');
    await userEvent.fill(field('auto match'), '(');
    await userEvent.fill(field('days before relaunch'), '15');
    await userEvent.fill(field('quota of notification'), '3');
    await userEvent.click(dialog().getByRole('button', { name: 'Save' }));
    await expect.element(dialog().getByText('This is not a valid pattern')).toBeVisible();
    await expect.element(field('auto match')).toHaveValue('(');
  });
});

describe('the preview in the form', () => {
  const pattern = () => dialog().getByRole('textbox', { name: 'auto match' });
  const panel = () => dialog().getByRole('region', { name: 'What the patterns do' });

  it('shows what the patterns do to the terms, and why', async () => {
    preview = previewOf(
      { matching: 23, linked: 22, excluded: 1, contested: 1, released: 1 },
      {
        newlyLinked: [{ id: 1, term: 'sac brivaut', country: 'FR', at: [[4, 11]] }],
        contested: [
          {
            id: 2,
            term: 'brivault corvane',
            country: null,
            brand: { id: 3, label: 'Corvane' },
            wins: true,
            at: [[0, 8]],
          },
        ],
        excluded: [{ id: 4, term: 'rue brivault', country: 'BE', at: [[4, 12]], by: [[0, 3]] }],
        released: [{ id: 5, term: 'foulard', country: 'FR', at: [] }],
      },
    );
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Create a brand' }));
    await expect.element(panel()).toHaveTextContent('Enter a pattern to see which terms it matches.');
    await userEvent.fill(pattern(), 'brivault|brivaut');
    await expect.element(panel()).toHaveTextContent('23 of 1,248 terms match');
    const marked = [...panel().element().querySelectorAll('mark')].map(({ textContent }) => textContent);
    expect(marked).toEqual(['brivaut', 'brivault', 'rue']);
    await expect.element(panel()).toHaveTextContent('of this brand, not Corvane');
    await expect.element(panel()).toHaveTextContent('by “rue”');
    await expect.element(panel()).toHaveTextContent('and 21 more');
    await expect.element(dialog().getByRole('checkbox')).toBeChecked();
    await expect.element(dialog().getByText('22 terms join this brand, none is released.')).toBeVisible();
  });

  it.each([390, 1440])('asks again before more than a fifth of all terms join, at %i px', async (width) => {
    await page.viewport(width, 900);
    preview = previewOf({ matching: 1_000, linked: 250 });
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Create a brand' }));
    await userEvent.fill(pattern(), '.*');
    await expect
      .element(dialog().getByText('250 of 1,248 terms join this brand: more than 20 % of all.'))
      .toBeVisible();
    await expect.element(dialog().getByRole('checkbox')).not.toBeChecked();
  });

  it('forgets a choice to match once the patterns change', async () => {
    preview = previewOf({ matching: 1_000, linked: 250 });
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Create a brand' }));
    await userEvent.fill(pattern(), 'a');
    await userEvent.click(dialog().getByRole('checkbox'));
    await expect.element(dialog().getByRole('checkbox')).toBeChecked();
    await userEvent.fill(pattern(), 'ab');
    await expect.element(dialog().getByRole('checkbox')).not.toBeChecked();
  });

  it('says that no term joins where the terms could not be compared', async () => {
    refuse = (call) => (call.endsWith('matchPreview') ? failure(503) : undefined);
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Create a brand' }));
    await userEvent.fill(pattern(), 'a');
    await expect.element(panel()).toHaveTextContent('The terms could not be matched.');
    await expect.element(dialog().getByText(/^The matching terms could not be counted/)).toBeVisible();
    expect(dialog().getByRole('checkbox').query()).toBeNull();
  });

  it.each([390, 1440])('says at the field that a pattern is invalid, at %i px', async (width) => {
    await page.viewport(width, 900);
    refuse = (call) =>
      call.endsWith('matchPreview')
        ? failure(422, undefined, {
            messages: { autoMatchExcludeRegExp: ['repeats too much'] },
            codes: { autoMatchExcludeRegExp: ['pattern.size'] },
          })
        : undefined;
    await show();
    await userEvent.click(page.getByRole('button', { name: 'Create a brand' }));
    await userEvent.fill(pattern(), 'a');
    await expect.element(dialog().getByText('This pattern repeats too much')).toBeVisible();
  });
});

describe('auto match', () => {
  async function open() {
    await show();
    await openMenu('Maison Brivault');
    await userEvent.click(page.getByRole('menuitem', { name: 'Auto match' }));
    await expect.element(dialog()).toHaveTextContent('Auto match of Maison Brivault');
  }

  it('is offered for brands with a pattern only', async () => {
    await show();
    await openMenu('Kelmora');
    await expect.element(page.getByRole('menuitem', { name: 'Auto match' })).toBeDisabled();
  });

  it('of the terms without a brand shows its progress, and says what it did', async () => {
    preview = previewOf({ linked: 4 });
    await open();
    await expect.element(dialog().getByText('4 terms join this brand.')).toBeVisible();
    await userEvent.click(dialog().getByRole('button', { name: 'Match' }));
    await expect.element(page.getByText('34%')).toBeVisible();
    await expect.element(dialog()).not.toBeInTheDocument();
    runs = [{ ...RUNNING, state: 'done', share: 1, matched: MATCHED }];
    await expect.element(page.getByText('Auto match done for Maison Brivault')).toBeVisible();
    await expect.element(page.getByText('4 terms linked. 1 term released.')).toBeVisible();
    await expect.element(page.getByText('34%')).not.toBeInTheDocument();
    expect(calls).toEqual([
      { call: 'POST /api/Brands/1/matchRuns', body: { options: { rematchAll: false } } },
      { call: 'DELETE /api/Brands/matchRuns/12', body: undefined },
    ]);
  });

  it('that ended while nobody looked is shown on return, once', async () => {
    runs = [{ ...RUNNING, state: 'failed', problem: 'interrupted' }];
    await show();
    await expect.element(page.getByText('Auto match fail for Maison Brivault')).toBeVisible();
    await expect.element(page.getByText(/^The server stopped meanwhile/)).toBeVisible();
    await vi.waitFor(() => expect(calls).toEqual([{ call: 'DELETE /api/Brands/matchRuns/12', body: undefined }]));
  });

  it.each([390, 1440])(
    'of all terms asks again where it changes more than a fifth of them, at %i px',
    async (width) => {
      await page.viewport(width, 900);
      preview = previewOf({ linked: 100, taken: 100, released: 100 });
      await open();
      await userEvent.click(dialog().getByRole('radio', { name: /^All terms/ }));
      const start = dialog().getByRole('button', { name: 'Match' });
      await expect.element(start).toBeDisabled();
      await userEvent.click(dialog().getByRole('checkbox', { name: /^Yes, change 300 of 1,248 terms/ }));
      await userEvent.click(start);
      await vi.waitFor(() =>
        expect(calls).toEqual([{ call: 'POST /api/Brands/1/matchRuns', body: { options: { rematchAll: true } } }]),
      );
    },
  );

  it('says that and why it failed', async () => {
    await open();
    refuse = (call) => (call.endsWith('matchRuns') ? failure(409) : undefined);
    await userEvent.click(dialog().getByRole('button', { name: 'Match' }));
    await expect.element(page.getByText('Auto match fail for Maison Brivault')).toBeVisible();
  });
});

describe('official domains', () => {
  const box = () => dialog().getByRole('combobox', { name: 'Domains' });
  const save = () => dialog().getByRole('button', { name: 'Save' });

  async function open(name: string) {
    await show();
    await openMenu(name);
    await userEvent.click(page.getByRole('menuitem', { name: 'Official domains' }));
    await expect.element(box()).toBeVisible();
  }

  it.each([390, 1440])('are changed by one call, at %i px', async (width) => {
    await page.viewport(width, 900);
    await open('Kelmora');
    await expect.element(save()).toBeDisabled();
    await userEvent.fill(box(), 'foo bar, A.com;b.com');
    await userEvent.keyboard('{Enter}');
    await expect.element(dialog().getByText('No domain name, left out: foo bar')).toBeVisible();
    await expect.element(dialog().getByText('3 open cases against the added domains become ignored.')).toBeVisible();
    await userEvent.click(save());
    await expect.poll(() => undoOffer.get()?.text).toBe('Domains updated');
    expect(calls).toEqual([
      { call: 'POST /api/Brands/2/officialDomains', body: { added: ['a.com', 'b.com'], removed: [] } },
    ]);
  });

  it('are all changed or none, and what was typed stays', async () => {
    officialTag = { id: 71, name: 'official', dealers: [{ id: 8, domain: 'a.com' }] };
    await open('Maison Brivault');
    await expect.element(dialog().getByText('a.com')).toBeVisible();
    refuse = (call) => (call.endsWith('/officialDomains') ? failure(500) : undefined);
    await userEvent.click(box());
    await userEvent.keyboard('{Backspace}');
    await userEvent.fill(box(), 'b.com');
    await userEvent.keyboard('{Enter}');
    await userEvent.click(save());
    await expect.element(page.getByText("Can't update domains")).toBeVisible();
    await expect.element(dialog().getByText('b.com')).toBeVisible();
  });

  it('that are taken away show which ignored cases stay so, before they are saved and after', async () => {
    officialTag = { id: 71, name: 'official', dealers: [{ id: 8, domain: 'a.com' }] };
    const since = '2026-11-20T08:00:00Z';
    rejudged = {
      data: { open: 0, ignored: 51 },
      meta: { ignored: [{ id: 5, domain: 'm.a.com', master: 'a.com', country: 'DE', engine: 'bing', since }] },
    };
    await open('Maison Brivault');
    await userEvent.click(box());
    await userEvent.keyboard('{Backspace}');
    const cases = dialog().getByRole('list', { name: 'Ignored cases' });
    await expect.element(cases).toHaveTextContent('m.a.com · Germany · bing · 20/11/2026');
    const link = cases.getByRole('link', { name: 'm.a.com' }).element() as HTMLAnchorElement;
    expect(decodeURIComponent(link.href)).toMatch(/advertisers.*ignored.*a\.com.*DE.*bing/);
    await expect
      .element(dialog().getByText('51 ignored cases against the removed domains stay ignored.'))
      .toBeVisible();
    await userEvent.click(save());
    await expect.poll(() => undoOffer.get()?.text).toBe('Domains updated');
    await expect.element(dialog().getByText('and 50 more')).toBeVisible();
    expect(calls).toEqual([{ call: 'POST /api/Brands/1/officialDomains', body: { added: [], removed: ['a.com'] } }]);
    await userEvent.click(dialog().getByRole('button', { name: 'Close' }).last());
    await expect.element(dialog()).not.toBeInTheDocument();
  });

  it('say that their cases could not be counted', async () => {
    refuse = (call) => (call.endsWith('officialDomainsPreview') ? failure(500) : undefined);
    await open('Kelmora');
    await userEvent.fill(box(), 'www.a.com');
    await userEvent.keyboard('{Enter}');
    await expect.element(dialog().getByText('a.com', { exact: true })).toBeVisible();
    await expect.element(dialog().getByText(/^The cases could not be counted/)).toBeVisible();
  });

  it('are 500 at most', async () => {
    await open('Kelmora');
    await userEvent.fill(box(), Array.from({ length: 501 }, (_, index) => `shop${index}.example`).join(','));
    await userEvent.keyboard('{Enter}');
    await expect.element(dialog().getByText('At most 500 domains')).toBeVisible();
    await expect.element(save()).toBeDisabled();
  });
});
