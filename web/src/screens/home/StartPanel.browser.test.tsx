import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { type Me, meQuery } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderRoute } from '~/testing';
import { StartPanel } from './StartPanel';

const administrator = { id: 1, email: 'a@vigie.example', roles: [{ name: 'admin' }] } as unknown as Me;
const kelmora = { id: 7, label: 'Kelmora', validated: true };

let companies: { id: number; label: string; totalViews: number; brands: object[] }[];
let views: { id: number; name: string }[];

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['start', 'common']);
});

beforeEach(() => {
  views = [];
  companies = [{ id: 4, label: 'Kelmora Retail', totalViews: 0, brands: [kelmora] }];
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const { method, url } = input as Request;
    const { pathname } = new URL(url);
    if (method === 'POST' && pathname === '/api/savedViews') views = [{ id: 31, name: '4' }];
    if (pathname === '/api/savedViews') return Response.json({ data: views });
    if (pathname === '/api/CompanyAccounts') return Response.json(companies);
    if (pathname.endsWith('/count')) return Response.json({ count: 0 });
    const one = /CompanyAccounts\/(\d+)$/.exec(pathname)?.[1];
    return Response.json(one ? companies.find(({ id }) => String(id) === one) : []);
  });
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

async function show() {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meQuery.queryKey, administrator);
  const screen = () => (
    <>
      <p>home</p>
      <StartPanel />
    </>
  );
  renderRoute('/', screen, '/', queries);
  await expect.element(page.getByText('home')).toBeVisible();
}

const heading = (company: string) => page.getByRole('heading', { name: `Get ${company} started` });

it('offers the next step of a new company, until the user says not now', async () => {
  await show();
  await expect.element(heading('Kelmora Retail')).toBeVisible();
  await expect.element(page.getByText('Next: Official domains')).toBeVisible();
  await expect.element(page.getByRole('link', { name: 'Continue' })).toHaveAttribute('href', '/start?company=4');
  await userEvent.click(page.getByRole('button', { name: 'Not now' }));
  await vi.waitFor(() => expect(heading('Kelmora Retail').query()).toBeNull());
});

it('prefers a company without a brand, and leaves out those whose ads were seen', async () => {
  companies = [
    { id: 6, label: 'Okimarket', totalViews: 9, brands: [] },
    { id: 5, label: 'Brivault Group', totalViews: 0, brands: [kelmora] },
    { id: 4, label: 'Kelmora Retail', totalViews: 0, brands: [] },
  ];
  await show();
  await expect.element(heading('Kelmora Retail')).toBeVisible();
  await expect.element(page.getByText('Next: Brand')).toBeVisible();
});
