import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { type Flags, flagsQuery, NO_FLAGS } from '~/api/flags';
import { type Me, meQuery } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { dayjs } from '~/lib/dates';
import { renderRoute } from '~/testing';
import { Home } from './Home';

const owner = { id: 2, email: 'o@acme.example', roles: [] } as unknown as Me;
const today = dayjs().format('YYYY-MM-DD');
const compared = {
  start: dayjs().subtract(29, 'day').startOf('day').toISOString(),
  end: dayjs().toISOString(),
  previousStart: dayjs().subtract(59, 'day').startOf('day').toISOString(),
  previousEnd: dayjs().subtract(30, 'day').toISOString(),
  unfinishedDay: today,
};
const day = (views: number) => ({ date: today, views });
const none = { domains: 0, ads: 0, views: 0 };

const empty = {
  shareOfVoice: { data: [], meta: { total: none, previous: none, days: [], previousDays: [], compared } },
  newcomers: {
    data: [],
    meta: { total: { new: 0, returning: 0 }, previous: { new: 0, returning: 0 }, weeks: [], compared },
  },
  presence: { data: [] },
  creatives: { data: [] },
  cases: {
    data: [],
    meta: { opened: 0, unread: 0, gone: 0, goneInDays: null, previousGoneInDays: null },
  },
  changes: { data: { gained: null, appeared: null }, meta: { compared } },
};

/** One day with the brand's own views and those of another. */
const oneDay = {
  ...empty,
  shareOfVoice: {
    data: [
      { domains: ['acme.example'], own: true, views: 30, previousViews: 0, days: [day(30)], previousDays: [] },
      { domains: ['bolt.example'], own: false, views: 10, previousViews: 0, days: [day(10)], previousDays: [] },
    ],
    meta: {
      total: { domains: 2, ads: 5, views: 40 },
      previous: none,
      days: [{ ...day(40), ads: 40, shopping: 0 }],
      previousDays: [],
      compared,
    },
  },
  presence: { data: [{ weekday: 3, hour: 9, capturesWith: 7, captures: 10 }] },
  creatives: {
    data: [{ domain: 'bolt.example', type: 'ads', title: 'Bolts, half price', countries: ['FR', 'BE'], views: 10 }],
  },
  cases: {
    data: [{ status: 'new', cases: 3, medianDays: 2.2, oldest: dayjs().subtract(4, 'day').toISOString() }],
    meta: { opened: 3, unread: 2, gone: 1, goneInDays: 8, previousGoneInDays: 11 },
  },
};

const coverage = {
  data: { planned: 10, valid: 10, doubtful: 0, failed: 0, missed: 0, pending: 0 },
  meta: { places: [], terms: [] },
};

function show(answers: Record<string, unknown>, address = '/', flags?: Flags) {
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const { pathname } = new URL(input instanceof Request ? input.url : String(input), window.location.href);
    const name = pathname.split('/').at(-1) ?? '';
    if (pathname.startsWith('/api/home/')) {
      const answer = answers[name];
      return answer
        ? Response.json(answer)
        : Response.json({ error: { statusCode: 500, message: 'x' } }, { status: 500 });
    }
    return Response.json(name === 'coverage' ? coverage : { data: [] });
  });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meQuery.queryKey, owner);
  if (flags) queries.setQueryData(flagsQuery(owner.id).queryKey, flags);
  renderRoute('/', Home, address, queries);
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['home', 'common', 'market', 'advertisers', 'list', 'monitoring']);
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('says of a company without data that nothing was seen', async () => {
  show(empty);
  const voice = page.getByRole('region', { name: 'Share of voice' });
  await expect.element(voice.getByRole('status')).toHaveTextContent('No ad has been seen in this period yet.');
  await expect.element(page.getByText('Nothing has changed much.')).toBeVisible();
  await expect.element(page.getByText('No advertiser is new, and none has returned.')).toBeVisible();
  expect(page.getByRole('alert').query()).toBeNull();
});

it('leads from each figure of a day to the list behind it, with the same filters', async () => {
  const engine = JSON.stringify({ type: 'inq', value: ['bing'] });
  show(oneDay, `/?days=30&engine=${encodeURIComponent(engine)}`);
  const link = (name: string | RegExp) => page.getByRole('link', { name, exact: true });
  const target = async (name: string | RegExp) => {
    await expect.element(link(name).first()).toBeVisible();
    const found = new URL(link(name).first().element().getAttribute('href') ?? '', window.location.href);
    return { path: found.pathname, search: Object.fromEntries(found.searchParams) };
  };
  const own = await target('acme.example: 75.00%');
  expect(own.path).toBe('/domains');
  expect(JSON.parse(own.search.domain ?? '')).toEqual({ type: 'inq', value: ['acme.example'] });
  expect(JSON.parse(own.search.date ?? '').type).toBe('between');
  expect(own.search.engine).toBe(engine);
  const creative = await target('10 views');
  expect(JSON.parse(creative.search.adTitle ?? '')).toEqual({ type: 'inq', value: ['Bolts, half price'] });
  expect(creative.search.engine).toBe(engine);
  const cases = await target(/^new ?3$/);
  expect(cases.path).toBe('/actions');
  expect(JSON.parse(cases.search.status ?? '')).toEqual({ type: 'inq', value: ['new'] });
  expect(cases.search.provider).toBe(engine);
  const gone = await target('1 gone');
  expect(JSON.parse(gone.search.disappearedDate ?? '').type).toBe('between');
  await expect.element(page.getByText('3 days faster')).toBeVisible();
  await expect.element(page.getByText(/others on 7 of 10 captures \(70%\)/)).toBeVisible();
  await expect.element(page.getByText('2 cases have unread answers')).toBeVisible();
});

it('has the figures of the chart as a table', async () => {
  show(oneDay);
  await userEvent.click(page.getByText('Figures by day'));
  const table = page.getByRole('region', { name: 'Figures by day' }).getByRole('table');
  await expect.element(table.getByRole('link', { name: '40' })).toBeVisible();
  await expect.element(table.getByRole('cell', { name: '25.00%' })).toBeVisible();
});

it('shows which part could not be loaded, and loads it again', async () => {
  const answers: Record<string, unknown> = { ...oneDay, presence: undefined };
  show(answers);
  const presence = page.getByRole('region', { name: 'When others are present' });
  await expect.element(presence.getByRole('alert')).toBeVisible();
  await expect
    .element(page.getByRole('region', { name: 'Top creatives' }).getByText('Bolts, half price'))
    .toBeVisible();
  answers.presence = oneDay.presence;
  await userEvent.click(presence.getByRole('button', { name: 'Try again' }));
  await expect.element(presence.getByText(/others on 7 of 10 captures/)).toBeVisible();
});

it('has the figures of cases without links for who may not open their lists', async () => {
  const toCases = () => [...document.querySelectorAll('a[href^="/actions"]')].length;
  show(oneDay, '/', NO_FLAGS);
  await expect.element(page.getByText('1 gone', { exact: false })).toBeVisible();
  expect(toCases()).toBe(0);
  cleanup();
  show(oneDay, '/', { ...NO_FLAGS, header_workspaces_switch: true });
  await expect.element(page.getByText('1 gone', { exact: false })).toBeVisible();
  expect(toCases()).toBeGreaterThan(4);
});
