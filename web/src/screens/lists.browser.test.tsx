import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import type { Me } from '~/api/session';
import { i18next, startTexts } from '~/i18n';
import { dayjs } from '~/lib/dates';
import type { AnyListDef } from '~/list/types';
import { renderList } from '~/testing';
import { toast } from '~/ui/toast';
import { actionsList, todoList } from './actions/Actions';
import { advertisersList } from './advertisers/Advertisers';
import { brandsList } from './brands/Brands';
import { companyAccountsList } from './company-account/CompanyAccounts';
import { domainsList } from './domains/Domains';
import { tagsList } from './tags/Tags';
import { termsList } from './terms/Terms';
import { settingTermsList } from './terms-management/SettingTerms';
import { usersList } from './users/Users';

const WIDTHS = [390, 768, 769, 1024, 1200, 1440, 1920] as const;
const LANGUAGES = ['en', 'fr'] as const;
const LISTS = {
  domains: domainsList,
  terms: termsList,
  advertisers: advertisersList,
  users: usersList,
  brands: brandsList,
  companies: companyAccountsList,
  tags: tagsList,
  settingTerms: settingTermsList,
  actions: actionsList,
  todo: todoList,
};

const LONG = 'www2.very-long-name-of-a-shop.that-nobody-can-remember.marketing.example.co.uk';
const administrator = { id: 1, email: 'a@vigie.example', roles: [{ name: 'admin' }] } as unknown as Me;

const tags = [
  { id: 1, label: 'Reseller' },
  { id: 2, label: 'Price comparison' },
  { id: 3, label: 'A tag whose name is longer than any column of tags will ever be, at any width of the window' },
];
const domainRow = (domain: string, nbViews: number) => ({
  id: domain,
  domain,
  countries: ['FR', 'SE'],
  nbViews,
  nbAds: nbViews / 2,
  averagePosition: nbViews / 1000,
  categories: tags,
});
const termRow = (id: number, nbViews: number) => ({
  id: String(id),
  termId: id,
  content: `red running shoes for long distances ${id}`,
  brand: 'Kestrel Outdoor',
  locale: 'fr_FR',
  engine: 'google',
  localization: 'Montpellier',
  region: 'Provence-Alpes-Côte d’Azur',
  nbCompetitors: nbViews,
  nbAds: nbViews,
  nbViews,
  categories: tags,
});
const advertiserRow = (id: number, domain: string, brand: string) => ({
  ID: id,
  id,
  brandId: id,
  brand,
  domain,
  engine: 'google',
  country: 'FR',
  countries: ['FR'],
  status: 'reappearance',
  createdDate: '2026-03-01T10:00:00.000Z',
  updatedDate: '2026-03-02T10:00:00.000Z',
  lastView: '2026-03-03T10:00:00.000Z',
  nbViews: 1234 * id,
  nbAds: 12 * id,
  categories: tags,
  termRel: [],
  waiting: true,
  receivedCount: 12,
  sendedCount: 345,
  remindedCount: 3,
  unreadCount: id,
  history: ['new', 'requested', 'inprogress', 'reminded', 'reminded', 'disappeared', 'reappearance'].map(
    (status, at) => ({ ID: at, status, date: `2025-03-0${at + 1}T10:00:00.000Z`, previousDate: [] }),
  ),
  presence: { ads: true, shopping: true, daysSeen30: 11 },
  links: {},
});
const settingTerm = (id: number, change: object) => ({
  id,
  term: `red running shoes for long distances ${id}`,
  engine: 'GOOGLE',
  keywordType: 'GENERIC_BRAND',
  state: 'disabled',
  region: 'Provence-Alpes-Côte d’Azur',
  every: 0,
  searchStats: { monthly: 4_000 },
  brand: { id: 1, label: 'Kestrel Outdoor' },
  localization: { locale: 'fr_FR', city: 'Montpellier' },
  categories: tags,
  canBeAccessBy: [
    { id: 1, name: 'Kestrel Retail' },
    { id: 2, name: 'Brivault' },
  ],
  ...change,
});
const figure = (id: string) => ({ id, days: [1, 2, 3], previousViews: 10, capturesWith: 3, captures: 12 });
const coverage = {
  data: { planned: 4_320, valid: 4_210, doubtful: 30, failed: 60, missed: 20, pending: 0 },
  meta: { places: [], terms: [] },
};
const pageOf = (data: unknown[]) => ({
  data,
  meta: {
    page: { total: 1_234, totalViews: 123_456, totalAds: 4_567 },
    subTotal: {
      new: 1_029,
      inprogress: 123,
      accepted: 45,
      refused: 67,
      requested: 89,
      disappeared: 144,
      blocked: 1,
      reminded: 2,
    },
  },
  links: { next: '/api/x', exportCSV: '/api/x/export' },
});

const places = [
  { locale: 'sv_SE', country: { fr: 'Royaume de Suède', en: 'Kingdom of Sweden' } },
  { locale: 'fr_FR', country: { fr: 'France', en: 'France' } },
];

const defaultResponses = (): Record<string, unknown> => ({
  '/api/Localizations': places,
  '/api/Sems/findAdvertisers': pageOf([
    domainRow(LONG, 111_111),
    domainRow('shop.example', 7_654),
    domainRow('b.fr', 8),
  ]),
  '/api/Sems/groupTerms': pageOf([termRow(1, 12_345), termRow(2, 8)]),
  '/api/actions': pageOf([advertiserRow(1, LONG, 'Brivault'), advertiserRow(2, LONG, 'Kestrel')]),
  '/api/actions/todo': pageOf([advertiserRow(1, LONG, 'Brivault'), advertiserRow(2, LONG, 'Kestrel')]),
  '/api/UserAccounts': [
    {
      id: 1,
      email: `someone@${LONG}`,
      firstName: 'Maximiliane',
      lastName: 'Featherstonehaugh',
      companyAccount: { name: 'Kestrel' },
    },
  ],
  '/api/UserAccounts/count': { count: 1 },
  '/api/Brands': [
    {
      id: 1,
      label: 'Kestrel Outdoor and everything that belongs to it',
      name: 'kestrel-outdoor-and-everything-that-belongs-to-it',
      autoMatchRegExp: '\\b(?:kestrel|kestrel outdoor|kestrell)\\b',
      autoMatchExcludeRegExp: 'bird',
      validated: true,
      reminder: { autoReminder: true, frequency: 365, quota: 50 },
      companyAccounts: [
        { id: 1, label: 'Kestrel Retail' },
        { id: 2, label: 'Kestrel Group' },
      ],
    },
    { id: 2, label: 'Oki', name: 'oki' },
  ],
  '/api/Brands/count': { count: 2 },
  '/api/CompanyAccounts': [
    { id: 1, name: 'Kestrel', totalViews: 1_234_567, brands: [{ id: 1, label: 'Kestrel Outdoor' }] },
    { id: 2, name: 'Brivault', totalViews: 89, brands: [] },
  ],
  '/api/CompanyAccounts/count': { count: 2 },
  '/api/Categories': [
    {
      id: 3,
      label: tags[2]?.label,
      name: 'a-tag-whose-name-is-longer-than-any-column-of-tags-will-ever-be',
      scope: 'term',
      visibility: 'owner',
      brandOwnerId: 1,
      owner: { id: 1, label: 'Kestrel Outdoor' },
      parentId: 2,
      parent: { id: 2, label: 'Price comparison' },
      totalViews: 1_234_567,
    },
    { id: 4, label: 'Official', name: 'official', scope: 'tag', visibility: 'all', totalViews: 0 },
  ],
  '/api/Categories/count': { count: 2 },
  '/api/advertiserTag/uses': { data: [{ id: 3, uses: 12_345 }] },
  '/api/Terms': [
    settingTerm(1, {}),
    settingTerm(2, { state: 'archived', every: 604_800_000, brand: null, canBeAccessBy: [], categories: [] }),
  ],
  '/api/Terms/count': { count: 1_234 },
  '/api/operations/capacity': { asOf: '2026-05-01T08:00:00Z', routes: [] },
});

let responses = defaultResponses();
let warned: MockInstance<typeof console.warn>;

async function show(list: AnyListDef) {
  const { filters } = list.defaults(administrator, dayjs());
  const query = new URLSearchParams(Object.entries(filters).map(([name, where]) => [name, JSON.stringify(where)]));
  const shown = renderList(list, `${list.path}?${query}`, administrator);
  await vi.waitFor(() => expect(document.querySelector('article, [role="gridcell"]')).not.toBeNull(), {
    timeout: 10_000,
  });
  await document.fonts.ready;
  return shown;
}

beforeAll(async () => {
  await startTexts();
});

beforeEach(() => {
  localStorage.clear();
  responses = defaultResponses();
  warned = vi.spyOn(console, 'warn');
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const { pathname, searchParams } = new URL((input as Request).url);
    if (pathname.endsWith('/figures')) {
      return Response.json({ data: searchParams.getAll('rows[]').map(figure), meta: { previousTotalViews: 100 } });
    }
    if (pathname === '/api/coverage') return Response.json(coverage);
    return Response.json(responses[pathname] ?? { data: [] });
  });
});

afterEach(() => {
  toast.clear();
  cleanup();
  const warnings = warned.mock.calls.map(([first]) => String(first));
  vi.restoreAllMocks();
  expect(warnings.filter((warning) => warning.includes('AG Grid'))).toEqual([]);
});

async function speak(language: string, list: AnyListDef): Promise<void> {
  await i18next.changeLanguage(language);
  await i18next.loadNamespaces(['list', 'common', 'portal', 'market', ...list.ns]);
}

/** The texts of controls and headings that are cut off. */
function cut(): string[] {
  const labels = document.querySelectorAll<HTMLElement>(
    'header button, header button *, header li, fieldset button, .ag-header-cell-text, [role="toolbar"] button, footer *',
  );
  return [...labels]
    .filter(
      ({ scrollWidth, clientWidth, className }) =>
        clientWidth > 1 && scrollWidth > clientWidth && typeof className === 'string',
    )
    .map(({ textContent }) => textContent ?? '');
}

/** Words of headings that break over two lines, and headings taller than their row. */
function broken(): string[] {
  return [...document.querySelectorAll<HTMLElement>('.ag-header-cell-text')].flatMap((heading) => {
    const text = heading.firstChild;
    const words = [...(heading.textContent ?? '').matchAll(/\S+/g)];
    const wrapped = words.filter((word) => {
      const range = document.createRange();
      if (!text) return false;
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
    });
    const row = heading.closest('.ag-header-cell')?.getBoundingClientRect();
    const high = heading.getBoundingClientRect();
    const sticksOut = row && (high.bottom > row.bottom + 0.5 || high.top < row.top - 0.5);
    return [...wrapped.map(([word]) => word), ...(sticksOut ? [heading.textContent ?? ''] : [])];
  });
}

describe.each(Object.entries(LISTS))('the list of %s', (_, list) => {
  it.each(LANGUAGES)('cuts no label and breaks no heading at any width, in %s', async (language) => {
    await speak(language, list);
    for (const width of WIDTHS) {
      await page.viewport(width, 900);
      await show(list);
      const isTable = width > 768 && list.view !== 'cards';
      expect(document.querySelectorAll('.ag-header-cell-text').length > 3, `${width} px`).toBe(isTable);
      expect({ width, cut: cut(), broken: broken() }).toEqual({ width, cut: [], broken: [] });
      expect(document.documentElement.scrollWidth, `${width} px`).toBeLessThanOrEqual(width);
      cleanup();
    }
  });
});

describe('figures', () => {
  const rightEdges = (id: string) =>
    [...document.querySelectorAll(`[role="gridcell"][col-id="${id}"]`)].map((cell) => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return Math.round(range.getBoundingClientRect().right);
    });

  it.each([
    ['domains', domainsList, ['averagePosition', 'nbAds', 'nbViews', 'change', 'presence']],
    ['terms', termsList, ['nbCompetitors', 'nbAds', 'nbViews', 'change', 'presence']],
    ['advertisers', advertisersList, ['nbAds', 'nbViews']],
    ['brands', brandsList, ['frequency', 'quota']],
    ['companies', companyAccountsList, ['totalViews']],
  ] as const)('of %s end under one another, in digits of one width', async (_name, list, columns) => {
    await speak('en', list);
    await page.viewport(1440, 900);
    await show(list);
    for (const id of columns) {
      const edges = rightEdges(id);
      expect(edges.length, id).toBeGreaterThan(1);
      expect(new Set(edges).size, id).toBe(1);
      const cell = document.querySelector(`[role="gridcell"][col-id="${id}"]`);
      const heading = document.querySelector(`.ag-header-cell[col-id="${id}"] .ag-header-cell-text`);
      expect(getComputedStyle(cell as Element).fontVariantNumeric, id).toBe('tabular-nums');
      const right = heading?.getBoundingClientRect().right ?? 0;
      expect(Math.abs(right - (edges[0] ?? 0)), `${id} under its heading`).toBeLessThanOrEqual(2);
    }
  });
});

describe('the last column', () => {
  it.each([
    ['domains', domainsList, 'presence'],
    ['advertisers', advertisersList, 'actions'],
    ['setting terms', settingTermsList, 'actions'],
  ] as const)('of %s is in sight as a whole at 1440 px, also where rows go on below', async (_name, list, last) => {
    const many = Array.from({ length: 60 }, (_, index) => index + 1);
    responses['/api/Sems/findAdvertisers'] = pageOf(many.map((one) => domainRow(`${one}.example`, one)));
    responses['/api/actions'] = pageOf(many.map((one) => advertiserRow(one, `${one}.example`, 'Brivault')));
    responses['/api/Terms'] = many.map((one) => settingTerm(one, {}));
    await speak('fr', list);
    // The window without the width of the side menu and the page's padding.
    await page.viewport(1440 - 68 - 2 * 20, 900);
    await show(list);
    const cell = document.querySelector(`[role="gridcell"][col-id="${last}"]`);
    const { right, top } = cell?.getBoundingClientRect() ?? { right: 0, top: 0 };
    expect(right).toBeLessThanOrEqual(window.innerWidth);
    expect(cell?.contains(document.elementFromPoint(right - 3, top + 22))).toBe(true);
    // The table's own scrollbar starts at the headings.
    const beside = () => document.querySelector<HTMLElement>('.ag-body-vertical-scroll-start-spacer');
    await vi.waitFor(() => expect(beside()?.offsetWidth).toBeGreaterThan(0));
    const heading = document.querySelector(`.ag-header-cell[col-id="${last}"]`);
    const end = heading?.getBoundingClientRect() ?? { right: 0, top: 0 };
    expect(heading?.contains(document.elementFromPoint(end.right - 3, end.top + 22))).toBe(true);
  });
});

describe('a long domain', () => {
  it.each([390, 1440])('is shown in full at %i px, or in two lines with the whole as its title', async (width) => {
    await speak('en', domainsList);
    await page.viewport(width, 900);
    await show(domainsList);
    const name = page.getByTitle(LONG, { exact: true }).element();
    expect(name.textContent).toBe(LONG);
    if (width === 390)
      expect(name.scrollHeight).toBeLessThanOrEqual(Math.ceil(name.getBoundingClientRect().height) + 1);
    else expect(name.getBoundingClientRect().height).toBeGreaterThan(30);
  });
});

describe('tags', () => {
  /** The visible tags of the first row, those of them that are cut off, and the text that counts the hidden ones. */
  const shown = () => {
    const cell = document.querySelector('[role="gridcell"][col-id="tags"], article');
    const line = cell?.querySelector('[title^="Reseller"]');
    const { right, bottom } = line?.getBoundingClientRect() ?? new DOMRect();
    const all = [...(line?.querySelectorAll('span > span') ?? [])].filter((one) => one.parentElement !== line);
    const inSight = all.filter((tag) => tag.getBoundingClientRect().top < bottom);
    return {
      cut: inSight.filter((tag) => tag.getBoundingClientRect().right > right + 0.5).length,
      tags: inSight.map(({ textContent }) => textContent),
      more: line?.querySelector('[aria-hidden]')?.textContent,
    };
  };

  it.each(Object.entries({ domains: domainsList, terms: termsList, advertisers: advertisersList }))(
    'of %s are whole or counted in a table, and all there on cards',
    async (_name, list) => {
      await speak('en', list);
      for (const width of [390, 1024, 1440, 1920]) {
        await page.viewport(width, 900);
        await show(list);
        await vi.waitFor(() => {
          const { cut, tags: inSight, more } = shown();
          expect(more === undefined, `${width} px`).toBe(width === 390);
          expect(cut, `${width} px`).toBe(0);
          expect(inSight.length, `${width} px`).toBeGreaterThan(0);
          // The count takes space too, which can hide another tag.
          expect(inSight.length + Number(more ?? 0), `${width} px`).toBe(tags.length);
        });
        cleanup();
      }
    },
  );

  it('end in an ellipsis where even one does not fit', async () => {
    responses['/api/actions'] = pageOf([{ ...advertiserRow(1, 'b.fr', 'Brivault'), categories: tags.slice(2) }]);
    await speak('fr', advertisersList);
    await page.viewport(1440, 900);
    await show(advertisersList);
    const tag = page.getByText('A tag whose name', { exact: false }).element();
    const cell = tag.closest('[role="gridcell"]');
    expect(tag.getBoundingClientRect().right).toBeLessThanOrEqual(cell?.getBoundingClientRect().right ?? 0);
    expect(getComputedStyle(tag).textOverflow).toBe('ellipsis');
  });
});

describe('rows of several brands', () => {
  it('show it, in the table and on cards', async () => {
    await speak('en', advertisersList);
    await page.viewport(1440, 900);
    await show(advertisersList);
    await expect.element(page.getByRole('gridcell', { name: 'Brivault', exact: true })).toBeVisible();
    await expect.element(page.getByRole('gridcell', { name: 'Kestrel', exact: true })).toBeVisible();
    cleanup();
    await page.viewport(390, 844);
    await show(advertisersList);
    await expect.element(page.getByRole('article').first()).toHaveTextContent('Brivault');
  });

  it('are not cut in the narrowest column they can have', async () => {
    await speak('fr', termsList);
    await page.viewport(1024, 900);
    await show(termsList);
    const cell = document.querySelector('[role="gridcell"][col-id="brand"]');
    const name = cell?.querySelector('[title="Kestrel Outdoor"]');
    const edges = (element: Element | null | undefined) => element?.getBoundingClientRect() ?? new DOMRect();
    expect(edges(name).right).toBeLessThanOrEqual(edges(cell).right);
    expect(name?.scrollHeight).toBe(name?.clientHeight);
  });
});

describe('the countries', () => {
  it('to choose from are those of all places, named in the current language', async () => {
    await speak('fr', domainsList);
    await page.viewport(1440, 900);
    const { address } = await show(domainsList);
    await userEvent.click(page.getByRole('group', { name: 'Filtres rapides' }).getByRole('button', { name: 'Pays' }));
    await userEvent.click(page.getByText('Royaume de Suède'));
    await vi.waitFor(() => expect(address()).toMatchObject({ country: { type: 'inq', value: ['SE'] } }));
    const strip = page.getByRole('list', { name: 'Filtres appliqués' });
    await expect.element(strip).toHaveTextContent('Royaume de Suède');
    await speak('en', domainsList);
    await expect.element(page.getByRole('list', { name: 'Applied filters' })).toHaveTextContent('Kingdom of Sweden');
    await expect.element(page.getByRole('gridcell').getByTitle('Kingdom of Sweden').first()).toBeInTheDocument();
  });
});

describe('the filters of advertisers', () => {
  it('are not buried under calendars', async () => {
    await speak('en', advertisersList);
    await page.viewport(1440, 900);
    await show(advertisersList);
    await userEvent.click(page.getByRole('button', { name: /^Filters/ }));
    const panel = page.getByRole('dialog', { name: 'Filters' });
    await expect.element(panel.getByRole('table')).toBeVisible();
    expect(panel.getByRole('table').elements()).toHaveLength(1);
    await expect.element(panel.getByRole('button', { name: 'Accepted any date' })).toBeInTheDocument();
    const scrolled = [...panel.element().querySelectorAll('*')].map(({ scrollHeight }) => scrollHeight);
    expect(Math.max(...scrolled)).toBeLessThan(2_400);
  });
});
