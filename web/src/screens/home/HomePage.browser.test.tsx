import { QueryClient } from '@tanstack/react-query';
import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { type Me, meQuery } from '~/api/session';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderRoute } from '~/testing';
import { HomePage } from './HomePage';

const owner = { id: 2, email: 'o@acme.example', roles: [] } as unknown as Me;

function show(url: string | null | undefined) {
  vi.spyOn(window, 'fetch').mockImplementation(async (input) => {
    const { pathname } = new URL(input instanceof Request ? input.url : String(input), window.location.href);
    if (pathname !== '/api/dashboards/app-action-sem-summary/frame' || url === undefined) {
      return Response.json({ error: { statusCode: 404, message: 'x' } }, { status: 404 });
    }
    return Response.json({ data: { url } });
  });
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meQuery.queryKey, owner);
  renderRoute('/', HomePage, '/', queries);
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('fr');
  await loadTexts(['home', 'common', 'market', 'advertisers', 'list', 'monitoring']);
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('shows the dashboard of the reader in a frame of its own', async () => {
  show('/api/dashboards/frame/secret/summary');
  const heading = page.getByRole('heading', { level: 1, name: 'Accès au tableau de bord' });
  await expect.element(heading).toBeVisible();
  const frame = page.getByTitle('Accès au tableau de bord');
  await expect.element(frame).toHaveAttribute('src', '/api/dashboards/frame/secret/summary');
  await expect.element(frame).toHaveAttribute('sandbox', 'allow-scripts allow-forms');
});

it.each([null, undefined])('shows the figures without one (%s)', async (url) => {
  show(url);
  await expect.element(page.getByRole('heading', { level: 1, name: 'Tableau de bord', exact: true })).toBeVisible();
  expect(page.getByTitle('Accès au tableau de bord').query()).toBeNull();
});
