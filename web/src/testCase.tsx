import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { page } from 'vitest/browser';
import { flagsQuery } from '~/api/flags';
import type { CaseRow } from '~/api/queries/actions';
import { type Me, meQuery } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { place } from '~/list/cards/place';
import { toast } from '~/ui/toast';
import { Action } from './screens/action/Action';
import { renderRoute } from './testing';

export const operator = { id: 3, email: 'o@vigie.example', roles: [{ name: 'operator' }] } as unknown as Me;
export const companyUser = { id: 4, email: 'u@brivault.example', roles: [] } as unknown as Me;

const PATHS: Record<string, string> = {
  markAsRequested: 'requested',
  ignore: 'ignored',
  cancel: 'cancelRequested',
  addNote: 'notes',
  advertiserAddNote: 'advertiserNotes',
  brandAdvertiserAddNote: 'brandAdvertiserNotes',
};

/** Links that change the case 7, by their names. */
export const linksOf = (...names: string[]) =>
  Object.fromEntries(
    names.map((name) => [name, { method: 'POST', href: `/api/actions/${PATHS[name] ?? name}?actionID=7` }]),
  );

const get = (href: string) => ({ method: 'GET', href });

/** Links of every case: what can be read, and notes about it and its advertiser. */
export const READING = {
  ...linksOf('addNote', 'advertiserAddNote'),
  getNotes: get('/api/actions/notes?actionID=7'),
  advertiserGetNotes: get('/api/actions/advertiserNotes?actionID=7'),
  getTags: get('/api/advertiserTag/action?actionID=7'),
  getAdvertisements: get('/api/advertisement?brandId=1&domain=shop7.example&limit=5'),
  countAdvertisements: get('/api/advertisement/count?brandId=1&domain=shop7.example'),
};

export const STAFF = ['accept', 'refuse', 'inprogress', 'forceReminder', 'block', 'ignore', 'pause', 'assign'];

/** A status of a case's history. */
export const entry = (ID: number, status: string, day: string, actor: unknown = null) => ({
  ID: String(ID),
  status,
  date: `2025-09-${day}T10:00:00.000Z`,
  actor,
  previousDate: [],
});

export const history = [
  entry(1, 'new', '01'),
  entry(2, 'inprogress', '03', { kind: 'person', name: 'Ann Archer' }),
  entry(3, 'reminded', '17'),
  entry(4, 'reminded', '24'),
];

/** The case 7 as its page has it. */
export const caseOf = (change: Record<string, unknown> = {}) => ({
  ID: 7,
  id: 7,
  advertiserID: 100,
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
  blockedDate: null,
  receivedCount: 1,
  sendedCount: 3,
  remindedCount: 2,
  unreadCount: 0,
  history,
  next: { code: 'reminder', date: '2025-10-17T07:00:00.000Z', params: { number: 3, quota: 3, paused: false } },
  metas: null,
  presence: { ads: true, shopping: false, daysSeen30: 11 },
  categories: [],
  dealer: { id: 107, domain: 'shop7.example', categories: [] },
  owner: null,
  pausedUntil: null,
  links: { ...READING, ...linksOf(...STAFF) },
  emails: [],
  ...change,
});

/** A case as lists have it. */
export const rowOf = (id: number, change: Record<string, unknown> = {}) => ({
  ...caseOf(),
  ID: id,
  id,
  brand: 'Maison Brivault',
  domain: `shop${id}.example`,
  ...change,
});

/** The row of the case 7, for parts of the page. */
export const row = (change: Record<string, unknown> = {}) => ({ ...rowOf(7, change), id: '7' }) as unknown as CaseRow;

/** The case as the server has it. */
export const server = {
  case: caseOf(),
  /** What `GET` of other paths answers. */
  get: vi.fn<(path: string, query: URLSearchParams) => unknown>(),
  /** What calls that change something answer. */
  post: vi.fn<(path: string, body: string) => Response>(),
};

export const failing = (status: number, code?: string) =>
  Response.json({ error: { statusCode: status, message: 'no', code } }, { status });

/** Answers of a case without anything around it. */
export function nothingAround(path: string): unknown {
  if (path === '/api/advertisement/count') return { countAdvertisement: 0, countShopping: 0 };
  if (path === '/api/advertisement' || path === '/api/advertiserTag/action') return [];
  if (path === '/api/actions') return listOf([rowOf(7)]);
  return { data: [] };
}

/** A page of a list of cases. */
export const listOf = (data: unknown[], total = data.length) => ({
  data,
  meta: { page: { total, number: 1, size: 30, totalViews: 0, totalAds: 0 }, subTotal: {} },
  links: {},
});

export async function speak(language: string): Promise<void> {
  await i18next.changeLanguage(language);
  await loadTexts([
    'action',
    'actions',
    'advertisers',
    'monitoring',
    'market',
    'common',
    'list',
    'history',
    'mailsOfCases',
  ]);
}

beforeAll(async () => {
  await startTexts();
});

beforeEach(async () => {
  localStorage.clear();
  place.clear();
  await page.viewport(1440, 900);
  await speak('en');
  server.case = caseOf();
  server.get.mockReset().mockImplementation(nothingAround);
  server.post.mockReset();
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/api/actions/presence') return Response.json({ data: { people: [], elsewhere: false } });
    if (request.method === 'POST') return server.post(pathname.slice('/api/actions/'.length), await request.text());
    if (pathname === '/api/actions/detail/7') return Response.json({ data: server.case });
    if (pathname.startsWith('/api/actions/detail/')) {
      const id = Number(pathname.split('/').at(-1));
      return id < 100 ? Response.json({ data: caseOf({ ID: id, id, domain: `shop${id}.example` }) }) : failing(404);
    }
    const answered = server.get(pathname, searchParams);
    return answered instanceof Response ? answered : Response.json(answered);
  });
});

afterEach(() => {
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

interface Shown {
  me?: Me;
  address?: string;
  /** Whether the lists of cases are open to the reader. */
  lists?: boolean;
}

/** Shows the page of a case. */
export function show({ me = operator, address = '/action/7', lists = true }: Shown = {}) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meQuery.queryKey, me);
  queries.setQueryData(flagsQuery(me.id).queryKey, { header_workspaces_switch: lists, stopgo_dashboard: false });
  return { ...renderRoute('/action/$id', Action, address, queries), queries };
}
