import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { i18next, startTexts } from '~/i18n';
import { renderRoute } from '~/testing';
import { TopDomains } from './TopDomains';

const span = { start: '2026-01-01T00:00:00.000Z', end: '2026-01-31T00:00:00.000Z' };
const none = { data: [], meta: { page: { total: 0, totalViews: 0, totalAds: 0 } }, links: {} };

function show(answer: () => Response) {
  vi.spyOn(window, 'fetch').mockImplementation(async () => answer());
  renderRoute('/', () => <TopDomains span={span} />, '/');
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('fr');
  await i18next.loadNamespaces(['home', 'common']);
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

it('shows that the advertisers could not be loaded, and loads them again', async () => {
  let failing = true;
  show(() =>
    failing ? Response.json({ error: { statusCode: 500, message: 'x' } }, { status: 500 }) : Response.json(none),
  );
  await expect.element(page.getByRole('alert')).toHaveTextContent('Une erreur est survenue');
  failing = false;
  await userEvent.click(page.getByRole('button', { name: 'Réessayer' }));
  await expect.element(page.getByText("Aucune annonce n'a encore été vue sur cette période.")).toBeVisible();
  expect(page.getByRole('alert').query()).toBeNull();
});
