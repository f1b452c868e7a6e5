import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Me } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderList } from '~/testing';
import { toast } from '~/ui/toast';
import { tagsList } from './Tags';

const administrator = { id: 1, email: 'a@vigie.example', roles: [{ name: 'admin' }] } as unknown as Me;
const member = { id: 2, email: 'b@kelmora.example', roles: [] } as unknown as Me;

const brivault = { id: 5, label: 'Brivault' };
const kelmora = { id: 6, label: 'Kelmora' };

const classification = {
  id: 1,
  label: 'Classification',
  name: 'website-classification',
  scope: 'tag',
  visibility: 'all',
};
const official = {
  id: 2,
  label: 'Official',
  name: 'official',
  scope: 'tag',
  visibility: 'owner',
  brandOwnerId: 5,
  owner: brivault,
  parentId: 1,
  parent: classification,
};
const reseller = {
  id: 3,
  label: 'Reseller',
  name: 'reseller',
  scope: 'tag',
  visibility: 'owner',
  brandOwnerId: 5,
  owner: brivault,
  children: [{ id: 9 }, { id: 10 }],
  totalViews: 7_206,
};
const season = {
  id: 4,
  label: 'Season',
  name: 'season',
  scope: 'term',
  visibility: 'all',
  brandOwnerId: 6,
  owner: kelmora,
};

interface Sent {
  call: string;
  body: unknown;
}

let asked: string[];
let sent: Sent[];
let responses: Record<string, () => Response>;

const filterOf = (address: string) => JSON.parse(new URL(address).searchParams.get('filter') ?? '{}');
const failure = (status: number, extra: object = {}) =>
  Response.json({ error: { statusCode: status, message: 'Internal', ...extra } }, { status });

beforeAll(async () => {
  await startTexts();
});

beforeEach(async () => {
  localStorage.clear();
  asked = [];
  sent = [];
  responses = {
    'GET /api/Categories': () => Response.json([reseller, official, season, classification]),
    'GET /api/Categories/count': () => Response.json({ count: 4 }),
    'GET /api/advertiserTag/uses': () =>
      Response.json({
        data: [
          { id: 3, uses: 18 },
          { id: 4, uses: 1 },
          { id: 2, uses: 0 },
        ],
      }),
    'GET /api/brand': () => Response.json({ data: [brivault, kelmora] }),
    'POST /api/Categories': () => Response.json({ id: 20, label: 'Fresh' }),
    'PATCH /api/Categories/3': () => Response.json({ id: 3 }),
    'DELETE /api/Categories/3': () => Response.json({ count: 1 }),
  };
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const call = `${request.method} ${new URL(request.url).pathname}`;
    asked.push(request.url);
    if (request.method !== 'GET') sent.push({ call, body: request.method === 'DELETE' ? null : await request.json() });
    return responses[call]?.() ?? Response.json({ data: [] });
  });
  await i18next.changeLanguage('en');
  await loadTexts(['tags', 'list', 'common']);
  await page.viewport(1440, 900);
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

async function show(me: Me, address = '/tags') {
  const shown = renderList(tagsList, address, me);
  await expect.element(page.getByText('Reseller', { exact: true }).first()).toBeVisible();
  return shown;
}

const menu = (tag: string) => page.getByRole('button', { name: `What to do with ${tag}` });
const dialog = () => page.getByRole('dialog');
const openMenu = async (tag: string, item: string) => {
  await userEvent.click(menu(tag));
  await userEvent.click(page.getByRole('menuitem', { name: item }));
};

describe('the list of tags', () => {
  it('shows what each tag is, most seen first, and how often it is used', async () => {
    await show(administrator);
    expect(filterOf(asked.find((url) => url.includes('/Categories?')) ?? '').order).toBe(
      'totalViews DESC NULLS LAST,label ASC',
    );
    const headings = [...document.querySelectorAll('.ag-header-cell-text')].map(({ textContent }) => textContent);
    expect(headings).toEqual([
      'Type of tag',
      'Tag',
      'Slug',
      'Parent',
      'Brand',
      'Visibility',
      'Used on',
      'Views (30 days)',
      'Actions',
    ]);
    const domains = page.getByRole('link', { name: '18 domains' });
    await expect.element(domains).toHaveAttribute('href', expect.stringMatching(/^\/domains\?.*advertiserTag=/));
    await expect.element(domains).toHaveAttribute('title', 'Show the domains tagged Reseller · Brivault');
    const terms = page.getByRole('link', { name: '1 term' });
    await expect.element(terms).toHaveAttribute('href', expect.stringMatching(/^\/terms\?.*keywordTag=/));
    await expect.element(page.getByText('0 domains')).toBeVisible();
    await expect.element(page.getByRole('gridcell', { name: 'All brands' })).toBeVisible();
  });

  it('has no slug for others than administrators, and locks what they may not change', async () => {
    await show(member);
    expect(page.getByRole('columnheader', { name: 'Slug' }).query()).toBeNull();
    await expect.element(menu('Reseller · Brivault')).toBeVisible();
    expect(menu('Season · Kelmora').query()).toBeNull();
    expect(menu('Official · Brivault').query()).toBeNull();
    await expect.element(page.getByRole('img', { name: /^All companies share this tag/ })).toBeVisible();
    expect(page.getByRole('img', { name: /^Vigie itself relies on this tag/ }).elements()).toHaveLength(2);
  });

  it('lets administrators change shared tags, and nobody those of the product', async () => {
    await show(administrator);
    await expect.element(menu('Season · Kelmora')).toBeVisible();
    expect(menu('Classification').query()).toBeNull();
  });

  it('is filtered by brand and type', async () => {
    const { address } = await show(administrator);
    const quick = page.getByRole('group', { name: 'Quick filters' });
    await userEvent.click(quick.getByRole('button', { name: 'Type of tag' }));
    await userEvent.click(page.getByRole('dialog').getByText('term', { exact: true }));
    await vi.waitFor(() => expect(address()).toMatchObject({ scope: { type: 'inq', value: ['term'] } }));
    await userEvent.keyboard('{Escape}');
    await userEvent.click(quick.getByRole('button', { name: 'Brand' }));
    await userEvent.click(page.getByRole('combobox', { name: 'Brand' }));
    await userEvent.click(page.getByRole('option', { name: 'Kelmora' }));
    await vi.waitFor(() =>
      expect(filterOf(asked.findLast((url) => url.includes('/Categories?')) ?? '').where).toEqual({
        and: [{ brandOwnerId: { inq: [6] } }, { scope: { inq: ['term'] } }],
      }),
    );
  });

  it('is filtered by what tags are on: domains and terms that the server finds', async () => {
    responses['GET /api/Dealers'] = () =>
      Response.json([{ id: 31, domain: 'brivault.example', categories: [{ id: 2 }, { id: 3 }] }]);
    responses['GET /api/Terms'] = () =>
      Response.json([
        { id: 41, term: 'tent', engine: 'BING', localization: { city: 'Paris' }, categories: [{ id: 3 }, { id: 4 }] },
      ]);
    await show(administrator);
    const quick = page.getByRole('group', { name: 'Quick filters' });
    await userEvent.click(quick.getByRole('button', { name: 'Tagged domain' }));
    await userEvent.click(page.getByRole('combobox', { name: 'Tagged domain' }));
    await userEvent.click(page.getByRole('option', { name: 'brivault.example' }));
    expect(filterOf(asked.find((url) => url.includes('/Dealers?')) ?? '')).toMatchObject({
      order: 'domain ASC',
      limit: 50,
    });
    await userEvent.keyboard('{Escape}');
    await userEvent.click(quick.getByRole('button', { name: 'Tagged term' }));
    await userEvent.click(page.getByRole('combobox', { name: 'Tagged term' }));
    await userEvent.click(page.getByRole('option', { name: 'tent · Bing · Paris' }));
    expect(filterOf(asked.find((url) => url.includes('/Terms?')) ?? '')).toMatchObject({ limit: 100 });
    await vi.waitFor(() =>
      expect(filterOf(asked.findLast((url) => url.includes('/Categories?')) ?? '').where).toEqual({
        and: [{ id: { inq: [3] } }],
      }),
    );
  });

  it('says nothing of counts that fail, but logs them', async () => {
    const logged = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    responses['GET /api/Categories/count'] = () => failure(500);
    responses['GET /api/advertiserTag/uses'] = () => failure(500);
    await show(administrator);
    await vi.waitFor(() => expect(logged.mock.calls.length).toBeGreaterThan(2));
    expect(page.getByRole('alert').query()).toBeNull();
    expect(page.getByRole('link', { name: /domains$/ }).query()).toBeNull();
  });

  it('shows the translated error when it cannot be loaded', async () => {
    responses['GET /api/Categories'] = () => failure(422, { message: 'no such field' });
    renderList(tagsList, '/tags', administrator);
    await expect.element(page.getByText('The server refused this: no such field')).toBeVisible();
  });
});

describe('the form of a tag', () => {
  it.each([390, 1440])('asks for a name, and creates the tag for the first brand, at %i px', async (width) => {
    await page.viewport(width, 900);
    await show(administrator);
    await userEvent.click(page.getByRole('button', { name: 'Create tag' }));
    await userEvent.click(dialog().getByRole('button', { name: 'Create' }));
    await expect.element(dialog().getByRole('alert')).toHaveTextContent('1 errors foundThe name is required');
    await expect.element(dialog().getByRole('textbox', { name: 'Name' })).toHaveFocus();
    expect(sent).toEqual([]);
    await userEvent.fill(dialog().getByRole('textbox', { name: 'Name' }), ' Fresh ');
    expect(dialog().getByRole('alert').query()).toBeNull();
    await userEvent.click(dialog().getByRole('button', { name: 'Create' }));
    await expect.element(page.getByText('tag created')).toBeVisible();
    expect(sent).toEqual([
      {
        call: 'POST /api/Categories',
        body: { label: 'Fresh', scope: 'tag', visibility: 'owner', brandOwnerId: 5, parentId: null },
      },
    ]);
    expect(dialog().query()).toBeNull();
  });

  it('leaves the visibility to administrators', async () => {
    await show(member);
    await userEvent.click(page.getByRole('button', { name: 'Create tag' }));
    await expect.element(dialog().getByRole('radio', { name: 'domain' })).toBeInTheDocument();
    expect(dialog().getByRole('radio', { name: 'my team' }).query()).toBeNull();
    cleanup();
    await show(administrator);
    await userEvent.click(page.getByRole('button', { name: 'Create tag' }));
    await expect.element(dialog().getByRole('radio', { name: 'my team' })).toBeChecked();
  });

  it('offers parents of the same type only, forgets one of another type, and sends what was chosen', async () => {
    await show(administrator);
    await userEvent.click(page.getByRole('button', { name: 'Create tag' }));
    await userEvent.fill(dialog().getByRole('textbox', { name: 'Name' }), 'Fresh');
    await userEvent.click(dialog().getByRole('combobox', { name: 'Parent' }));
    await userEvent.click(page.getByRole('option', { name: 'Reseller · Brivault' }));
    expect(
      filterOf(asked.findLast((url) => url.includes('regexp') || url.includes('Categories?')) ?? '').where,
    ).toEqual({
      scope: 'tag',
    });
    await userEvent.click(dialog().getByText('term', { exact: true }));
    await expect.element(dialog().getByRole('combobox', { name: 'Parent' })).toHaveValue('');
    await userEvent.click(dialog().getByRole('combobox', { name: 'Parent' }));
    await vi.waitFor(() =>
      expect(filterOf(asked.findLast((url) => url.includes('Categories?')) ?? '').where).toEqual({ scope: 'term' }),
    );
    await userEvent.click(page.getByRole('option', { name: 'Season · Kelmora' }));
    await userEvent.click(dialog().getByText('all', { exact: true }));
    await userEvent.click(dialog().getByRole('combobox', { name: 'Brand' }));
    await userEvent.click(page.getByRole('option', { name: 'Kelmora', exact: true }));
    await userEvent.click(dialog().getByRole('button', { name: 'Create' }));
    await vi.waitFor(() =>
      expect(sent[0]?.body).toEqual({ label: 'Fresh', scope: 'term', visibility: 'all', brandOwnerId: 6, parentId: 4 }),
    );
  });

  it('starts from the stored tag, keeps the type of one in use, and never offers the tag itself or those below it', async () => {
    await show(administrator);
    await openMenu('Reseller · Brivault', 'update tag');
    await expect.element(dialog().getByRole('textbox', { name: 'Name' })).toHaveValue('Reseller');
    await expect.element(dialog().getByRole('combobox', { name: 'Brand' })).toHaveValue('Brivault');
    await expect.element(dialog().getByRole('radio', { name: 'term' })).toBeDisabled();
    await userEvent.click(dialog().getByRole('combobox', { name: 'Parent' }));
    await vi.waitFor(() =>
      expect(filterOf(asked.findLast((url) => url.includes('Categories?')) ?? '').where).toEqual({
        scope: 'tag',
        id: { nin: [3, 9, 10] },
      }),
    );
    await userEvent.fill(dialog().getByRole('textbox', { name: 'Name' }), 'Retailer');
    await userEvent.click(dialog().getByRole('button', { name: 'Update' }));
    await expect.element(page.getByText('tag updated')).toBeVisible();
    expect(sent).toEqual([
      {
        call: 'PATCH /api/Categories/3',
        body: { label: 'Retailer' },
      },
    ]);
  });

  it('leaves a parent that the user does not see as it is', async () => {
    responses['GET /api/Categories'] = () => Response.json([{ ...reseller, parentId: 77 }]);
    await show(administrator);
    await openMenu('Reseller · Brivault', 'update tag');
    await userEvent.click(dialog().getByRole('button', { name: 'Update' }));
    await vi.waitFor(() => expect(sent[0]?.body).not.toHaveProperty('parentId'));
  });

  it.each([
    ['a name that is taken', () => failure(409), 'This brand already has a tag of this type with this name'],
    [
      'a parent below the tag',
      () => failure(422, { details: { codes: { parentId: ['inclusion'] }, messages: { parentId: ['x'] } } }),
      'This tag cannot be the parent: it is below the one you are changing',
    ],
  ])('says at the field that the server refuses %s, and loses nothing', async (_, refusal, text) => {
    responses['PATCH /api/Categories/3'] = refusal;
    await show(administrator);
    await openMenu('Reseller · Brivault', 'update tag');
    await userEvent.fill(dialog().getByRole('textbox', { name: 'Name' }), 'Official');
    await userEvent.click(dialog().getByRole('button', { name: 'Update' }));
    await expect.element(dialog().getByRole('alert')).toHaveTextContent(`1 errors found${text}`);
    await expect.element(dialog().getByRole('textbox', { name: 'Name' })).toHaveValue('Official');
  });

  it('shows any other failure in a toast', async () => {
    responses['POST /api/Categories'] = () => failure(403);
    await show(administrator);
    await userEvent.click(page.getByRole('button', { name: 'Create tag' }));
    await userEvent.fill(dialog().getByRole('textbox', { name: 'Name' }), 'Fresh');
    await userEvent.click(dialog().getByRole('button', { name: 'Create' }));
    await expect.element(page.getByText('You are not allowed to do this.')).toBeVisible();
    await expect.element(dialog()).toBeVisible();
  });

  it('asks for a brand where there is none to take', async () => {
    responses['GET /api/brand'] = () => Response.json({ data: [] });
    await show(member);
    await userEvent.click(page.getByRole('button', { name: 'Create tag' }));
    await userEvent.fill(dialog().getByRole('textbox', { name: 'Name' }), 'Fresh');
    await userEvent.click(dialog().getByRole('button', { name: 'Create' }));
    await expect.element(dialog().getByRole('alert')).toHaveTextContent('Choose a brand');
    await expect.element(dialog().getByRole('combobox', { name: 'Brand' })).toHaveFocus();
    expect(sent).toEqual([]);
  });
});

describe('deleting a tag', () => {
  it.each([390, 1440])('says what it does before and after it is confirmed, at %i px', async (width) => {
    await page.viewport(width, 900);
    await show(administrator);
    await openMenu('Reseller · Brivault', 'delete tag');
    await expect
      .element(dialog())
      .toHaveTextContent(
        /It is taken off 18 domains. 2 tags below it lose their parent. You can bring it back for 30 days./,
      );
    expect(sent).toEqual([]);
    responses['GET /api/Categories'] = () => Response.json([season]);
    await userEvent.click(dialog().getByRole('button', { name: 'Delete' }));
    await expect.element(page.getByText('tag deleted')).toBeVisible();
    expect(sent).toEqual([{ call: 'DELETE /api/Categories/3', body: null }]);
    await vi.waitFor(() => expect(page.getByText('Reseller', { exact: true }).query()).toBeNull());
  });

  it.each([390, 1440])('shows why it was refused, at %i px', async (width) => {
    await page.viewport(width, 900);
    responses['DELETE /api/Categories/3'] = () => failure(409, { code: 'SYSTEM_TAG' });
    await show(administrator);
    await openMenu('Reseller · Brivault', 'delete tag');
    await userEvent.click(dialog().getByRole('button', { name: 'Delete' }));
    await expect.element(page.getByText(/^This tag belongs to the product/)).toBeVisible();
  });
});
