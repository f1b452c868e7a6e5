import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { i18next, startTexts } from '~/i18n';
import { renderWithProviders } from '~/testing';
import { toast } from '~/ui/toast';
import { DeletedDrawer } from './DeletedDrawer';
import { TrailDrawer } from './TrailDrawer';

const DAY_MS = 86_400_000;

let called: string[];
let respond: (request: Request) => Response;

const deleted = (id: number, term: string, by: object | null) => ({
  at: new Date(Date.now() - DAY_MS).toISOString(),
  until: new Date(Date.now() + 29 * DAY_MS - 1_000).toISOString(),
  by,
  row: { id, term, engine: 'BING' },
});

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
});

beforeEach(() => {
  called = [];
  respond = () => Response.json({ data: [], next: null, names: {} });
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const request = input as Request;
    called.push(`${request.method} ${new URL(request.url).pathname} ${await request.clone().text()}`.trim());
    return respond(request);
  });
});

afterEach(async () => {
  await i18next.changeLanguage('en');
  toast.clear();
  cleanup();
  vi.restoreAllMocks();
});

it('brings back what is chosen, and loads again what shows it', async () => {
  const queries = new QueryClient();
  const reloaded = vi.spyOn(queries, 'invalidateQueries');
  const rows = [deleted(7, 'red shoes', { kind: 'staff', name: null, as: null }), deleted(8, 'blue shoes', null)];
  respond = ({ method }) => Response.json(method === 'POST' ? { count: 2 } : { data: rows, next: null });
  renderWithProviders(<DeletedDrawer model="Term" changes={[['terms']]} onClose={() => {}} />, queries);
  await expect.element(page.getByRole('dialog', { name: 'Deleted terms' })).toBeVisible();
  const red = page.getByRole('checkbox', { name: /red shoes/ });
  await expect.element(red).toBeVisible();
  await expect.element(page.getByText(/by Vigie · 29 days left/)).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Bring back' })).toBeDisabled();
  await userEvent.click(red);
  await expect.element(page.getByRole('button', { name: 'Bring back 1' })).toBeEnabled();
  await userEvent.click(page.getByRole('checkbox', { name: 'Select all' }));
  await userEvent.click(page.getByRole('button', { name: 'Bring back 2' }));
  await expect.element(page.getByText('2 brought back')).toBeVisible();
  expect(called).toContain('POST /api/Deleted/Term/bringBack {"ids":[7,8]}');
  expect(reloaded).toHaveBeenCalledWith({ queryKey: ['terms'] });
});

it('says in the language of the user why nothing came back, and keeps the choice', async () => {
  await i18next.changeLanguage('fr');
  respond = ({ method }) =>
    method === 'POST'
      ? Response.json({ error: { statusCode: 409, code: 'BRAND_GONE' } }, { status: 409 })
      : Response.json({ data: [deleted(7, 'red shoes', null)], next: null });
  renderWithProviders(<DeletedDrawer model="Term" changes={[]} onClose={() => {}} />);
  await userEvent.click(page.getByRole('checkbox', { name: /red shoes/ }));
  await userEvent.click(page.getByRole('button', { name: 'Restaurer (1)' }));
  await expect.element(page.getByRole('alert')).toHaveTextContent("Sa marque a été supprimée ; restaurez-la d'abord.");
  await expect.element(page.getByRole('checkbox', { name: /red shoes/ })).toBeChecked();
});

it('says that nothing was deleted, and that it could not be loaded', async () => {
  renderWithProviders(<DeletedDrawer model="Category" changes={[]} onClose={() => {}} />);
  await expect.element(page.getByText('Nothing was deleted in the last 30 days')).toBeVisible();
  cleanup();
  respond = () => Response.json({ error: { statusCode: 403 } }, { status: 403 });
  renderWithProviders(<TrailDrawer model="Term" id={7} name="red shoes" onClose={() => {}} />);
  await expect.element(page.getByRole('alert')).toHaveTextContent('The trail could not be loaded.');
});

it('shows who did what, in words, page by page', async () => {
  const entry = { at: '2026-11-01T10:00:00Z', by: { kind: 'person', name: 'Ana Roche', as: 'Leo Bart' }, link: null };
  const changes = [
    { field: 'every', before: 0, after: 3_600_000 },
    { field: 'brandId', after: 4 },
    { field: 'options', before: { saveShoppingAds: false }, after: { saveShoppingAds: true } },
  ];
  const first = { data: [{ ...entry, id: 9, event: 'change', changes }], names: { Brand: { 4: 'Acme' } }, next: 9 };
  const link = { relation: 'categories', model: 'Category', id: 3 };
  const last = { data: [{ ...entry, id: 8, event: 'link', changes: [], link }], names: {}, next: null };
  respond = ({ url }) => Response.json(url.includes('before=9') ? last : first);
  renderWithProviders(<TrailDrawer model="Term" id={7} name="red shoes" onClose={() => {}} />);
  await expect.element(page.getByRole('dialog', { name: 'Trail of red shoes' })).toBeVisible();
  await expect.element(page.getByText('Ana Roche as Leo Bart')).toBeVisible();
  const shown = page.getByRole('listitem').first();
  await expect.element(shown).toHaveTextContent(/Time between capturesauto → becomes1 hr/);
  await expect.element(shown).toHaveTextContent(/Brandnot shown to you → becomesAcme/);
  await expect.element(shown).toHaveTextContent(/Shopping adsno → becomesyes/);
  await userEvent.click(page.getByRole('button', { name: 'Show more' }));
  await expect.element(page.getByText('Linked with a tag')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Show more' })).not.toBeInTheDocument();
});
