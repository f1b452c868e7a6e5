import { cleanup } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { i18next, loadTexts, startTexts } from '~/i18n';
import { renderRoute } from '~/testing';
import { Capacity } from './Capacity';

const hours = (captures: (hour: number) => number) => Array.from({ length: 24 }, (_, hour) => captures(hour));
const french = {
  engine: 'google',
  proxy: 'french.example:3128',
  countries: ['FR'],
  perMinute: 1,
  planned: hours((hour) => (hour < 3 ? 75 : 30)),
  over: 45,
  remedy: { perMinute: 2, slower: { every: 7_200_000, terms: 12 } },
};
const direct = {
  engine: 'bing',
  proxy: null,
  countries: ['BE'],
  perMinute: 2,
  planned: hours(() => 60),
  over: 0,
  remedy: null,
};

let routes: object[];
let failing: boolean;

beforeAll(async () => {
  await startTexts();
  await loadTexts(['capacity', 'operations', 'market', 'common', 'settingTerms']);
});

beforeEach(async () => {
  await i18next.changeLanguage('en');
  routes = [french, direct];
  failing = false;
  vi.spyOn(window, 'fetch').mockImplementation(async () =>
    failing
      ? Response.json({ error: { statusCode: 500, message: 'x' } }, { status: 500 })
      : Response.json({ asOf: '2026-03-02T08:00:00Z', routes }),
  );
});

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const show = () => renderRoute('/operations', () => <Capacity />, '/operations');

it('shows each engine and proxy beside what may be asked, and marks the hours that do not fit', async () => {
  show();
  const table = page.getByRole('region', { name: 'Engine and proxy' });
  const google = table.getByRole('row', { name: /Google/ });
  await expect
    .element(google)
    .toHaveTextContent(/through french\.example:3128.*1 a minute.*855 \/ 1,440.*125%.*45.*3 hours over/);
  await expect.element(table.getByRole('row', { name: /Bing/ })).toHaveTextContent(/no proxy.*50%.*0.*fits/);
  const label = '2,295 captures are planned in the next 24 hours, and 45 of them do not fit their hour.';
  await expect.element(page.getByRole('figure', { name: label })).toBeVisible();

  await userEvent.click(page.getByText('Every hour in figures'));
  const byHour = page.getByRole('region', { name: 'Every hour in figures' });
  await expect.element(byHour.getByRole('row').nth(1)).toHaveTextContent(/75, 15 too many/);
  await expect.element(byHour.getByRole('row').nth(4)).toHaveTextContent(/30.*60/);
  expect(byHour.getByRole('row').elements()).toHaveLength(25);
});

it.each([390, 1440])('says what would make the plan fit, only where it does not, at %i px', async (width) => {
  await page.viewport(width, 900);
  show();
  const remedies = page.getByRole('region', { name: 'What would make it fit' });
  await expect.element(remedies).toHaveTextContent(/Google through french\.example:3128/);
  await expect.element(remedies).toHaveTextContent(/12 terms captured every 2 hours instead of more often\./);
  await expect.element(remedies).toHaveTextContent(/2 a minute instead of 1\. The setting engines\.google\.per_minute/);
  await expect.element(remedies).not.toHaveTextContent(/Bing/);
  const link = remedies.getByRole('link', { name: 'Show the most frequent terms' });
  await expect
    .element(link)
    .toHaveAttribute('href', expect.stringMatching(/^\/terms-management\?.*GOOGLE.*enabled.*every/));
  const { scrollWidth, clientWidth } = remedies.element();
  expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
});

it('says that no interval helps against what waits, and nothing where all fits', async () => {
  routes = [{ ...french, remedy: { perMinute: 9, slower: null } }];
  show();
  await expect.element(page.getByText(/Longer intervals alone would not be enough/)).toBeVisible();
  cleanup();
  routes = [direct];
  show();
  await expect.element(page.getByRole('region', { name: 'Engine and proxy' })).toBeVisible();
  expect(page.getByRole('region', { name: 'What would make it fit' }).query()).toBeNull();
});

it('says in French that nothing is planned', async () => {
  await i18next.changeLanguage('fr');
  await loadTexts(['capacity', 'operations', 'market', 'common']);
  routes = [];
  show();
  await expect.element(page.getByText('Rien n’est prévu : aucun mot-clé n’est actif.')).toBeVisible();
});

it('shows that the plan could not be loaded, and loads it again', async () => {
  failing = true;
  show();
  await expect.element(page.getByRole('alert')).toBeVisible();
  failing = false;
  await userEvent.click(page.getByRole('button', { name: /try again|retry/i }));
  await expect.element(page.getByRole('region', { name: 'Engine and proxy' })).toBeVisible();
});
