import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { type Me, meQuery } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderRoute } from '~/testing';
import { SearchButton } from './SearchButton';

const administrator = { id: 1, email: 'a@vigie.example', roles: [{ name: 'admin' }] } as unknown as Me;
const nothing = { domains: [], terms: [], brands: [], cases: [], users: [] };
const found = {
  ...nothing,
  domains: [{ domain: 'acme.example', views: 12 }],
  brands: [{ id: 7, label: 'Acme' }],
};

const asked: string[] = [];
let framed: string | null;
/** Ends the wait of an answer. */
let go: () => void;
let held: Promise<void> | undefined;

function show() {
  asked.length = 0;
  framed = null;
  held = undefined;
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const { pathname, searchParams } = new URL(
      input instanceof Request ? input.url : String(input),
      window.location.origin,
    );
    if (pathname !== '/api/search') return Response.json({ data: { url: framed } });
    const text = searchParams.get('query') ?? '';
    asked.push(text);
    await held;
    return Response.json({ data: text.startsWith('ac') ? found : nothing });
  });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meQuery.queryKey, administrator);
  return renderRoute('/$', () => <SearchButton compact={false} />, '/start', queries);
}

const field = page.getByRole('combobox', { name: 'Search' });

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await loadTexts(['common', 'search', 'market', 'advertisers']);
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('finds by the slash key, and opens what the arrow keys choose', async () => {
  const { address, path } = show();
  await expect.element(page.getByRole('button', { name: 'Search' })).toBeVisible();
  await userEvent.keyboard('/');
  await expect.element(field).toHaveFocus();
  await userEvent.fill(field, 'ac');
  const option = (name: string) => page.getByRole('option', { name });
  await expect.element(option('acme.example 12 views')).toHaveAttribute('aria-selected', 'true');
  await userEvent.keyboard('{ArrowDown}');
  await expect.element(option('Acme').last()).toHaveAttribute('aria-selected', 'true');
  await userEvent.keyboard('{ArrowUp}{Enter}');
  await vi.waitFor(() => expect(path()).toBe('/domains'));
  expect(address().domain).toEqual({ type: 'inq', value: ['acme.example'] });
});

it('leaves the slash to a page that has a key of its own, and opens by Ctrl+K', async () => {
  show();
  await expect.element(page.getByRole('button', { name: 'Search' })).toBeVisible();
  const own = (event: KeyboardEvent) => event.key === '/' && event.preventDefault();
  document.addEventListener('keydown', own);
  await userEvent.keyboard('/');
  document.removeEventListener('keydown', own);
  expect(field.query()).toBeNull();
  await userEvent.keyboard('{Control>}k{/Control}');
  await expect.element(field).toHaveFocus();
});

it('asks from two characters on, and says that there is nothing', async () => {
  show();
  await userEvent.click(page.getByRole('button', { name: 'Search' }));
  await userEvent.fill(field, 'x');
  await expect.element(page.getByText('Type two characters or more.')).toBeVisible();
  await userEvent.fill(field, 'xyz');
  await expect.element(page.getByText('Nothing was found for “xyz”.')).toBeVisible();
  expect(asked).toEqual(['xyz']);
});

it('opens nothing that an earlier text found, and leads to the lists where the home page is from elsewhere', async () => {
  const { address, path } = show();
  framed = 'https://dashboards.example/';
  await userEvent.click(page.getByRole('button', { name: 'Search' }));
  await expect.element(page.getByRole('dialog', { name: 'Search' })).toBeVisible();
  await userEvent.fill(field, 'ac');
  await expect.element(page.getByRole('option', { name: 'acme.example 12 views' })).toBeVisible();
  held = new Promise((resolve) => {
    go = resolve;
  });
  await userEvent.fill(field, 'acm');
  await userEvent.keyboard('{Enter}');
  expect(path()).toBe('/start');
  go();
  await vi.waitFor(() => expect(asked).toEqual(['ac', 'acm']));
  await userEvent.keyboard('{ArrowDown}');
  await vi.waitFor(async () => {
    await userEvent.keyboard('{Enter}');
    expect(path()).toBe('/domains');
  });
  expect(address().brandID).toEqual({ type: 'inq', value: [7], labels: ['Acme'] });
});
