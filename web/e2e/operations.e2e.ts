import type { Page } from '@playwright/test';
import { expect, test, WRITES } from './fixtures';

const engine = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('an administrator finds it in the menu, and it keeps up by itself', async ({ signedIn: page }) => {
  await page.goto('/');
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Operations' }).click();
  await expect(page).toHaveURL('/operations');
  await expect(page.getByRole('figure', { name: /with results/ })).toBeVisible();
  await expect(engine(page, 'Google')).toContainText('running');

  // Somebody else acts; nobody reloads.
  await page.request.post('/api/operations/engines/google/pause', { ...WRITES, data: { reason: 'a look at proxies' } });
  await expect(engine(page, 'Google')).toContainText('a look at proxies');
  await page.request.post('/api/operations/engines/google/resume', WRITES);
  await expect(engine(page, 'Google')).toContainText('running');
});

for (const width of [1440, 390])
  test(`pauses an engine with a reason, and lets it go on (${width} px)`, async ({ signedIn: page }) => {
    const why = `captchas at ${width}`;
    await page.setViewportSize({ width, height: 844 });
    await page.goto('/operations');
    await engine(page, 'Bing').getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause Bing' });
    await dialog.getByLabel('Why (others see it)').fill(why);
    await dialog.getByRole('button', { name: 'Pause Bing' }).click();
    await expect(page.getByRole('status').filter({ hasText: 'Bing is paused.' })).toBeVisible();
    await expect(engine(page, 'Bing')).toContainText(why);

    await page.reload();
    await expect(engine(page, 'Bing')).toContainText('paused');
    await engine(page, 'Bing').getByRole('button', { name: 'Resume' }).click();
    await expect(engine(page, 'Bing')).toContainText('running');

    await page.getByRole('tab', { name: 'Journal' }).click();
    const row = page.getByRole('row').filter({ hasText: why });
    await expect(row).toContainText('paused');
    await expect(row).toContainText('Bing');
  });

test('shows a doubtful capture beside what was read off it, and sets it aside', async ({ signedIn: page }) => {
  await page.goto('/operations?kind=doubtful');
  const list = page.getByRole('list', { name: 'Captures' });
  await list.getByRole('button').first().click();
  const read = page.getByRole('region', { name: 'What was read' });
  const ad = read.getByRole('button').first();
  const mark = await ad.getAttribute('data-mark');
  await ad.click();
  const marked = page.frameLocator('iframe').locator(`#ad-${mark}`);
  await expect(marked).toHaveCSS('outline-style', 'solid');

  const before = await list.getByRole('button').count();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByText('1 capture was set aside.')).toBeVisible();
  await expect(list.getByRole('button')).toHaveCount(before - 1);
});

test('takes chosen captures again', async ({ signedIn: page }) => {
  await page.goto('/operations?kind=quarantined&lng=fr');
  await page.getByRole('checkbox', { name: 'Tout choisir' }).check();
  await page.getByRole('button', { name: 'Réessayer' }).click();
  await expect(page.getByText(/capture(s sont| est) reprise/)).toBeVisible();
  await expect(page.getByText('Rien à examiner ici.')).toBeVisible();
});

test('shows the page of a failed attempt', async ({ signedIn: page }) => {
  await page.goto('/operations?kind=failed');
  await page.getByRole('list', { name: 'Captures' }).getByText('the engine asked for a captcha').first().click();
  await expect(page.getByText('This page is no result page: nothing was read off it.')).toBeVisible();
  await expect(page.frameLocator('iframe').locator('body')).not.toBeEmpty();
});

test('shows when the housekeeping jobs run', async ({ signedIn: page }) => {
  await page.goto('/operations?tab=jobs');
  const job = page.getByRole('row').filter({ hasText: 'Remove what has been kept long enough' });
  await expect(job).toContainText(/in \d+ (hour|minute|second)/);
});

test('finds schedules by their words, and those that fail', async ({ signedIn: page }) => {
  await page.goto('/operations?tab=schedules');
  const rows = page.getByRole('region', { name: 'Schedules' }).getByRole('row');
  await expect(rows.nth(1)).toContainText(/in |now/);
  // The name of its brand stands under the words.
  const term = (await rows.nth(1).getByRole('rowheader').innerText()).split('\n')[0] ?? '';
  await page.getByRole('searchbox', { name: 'Search terms' }).fill(term);
  await expect(rows.nth(1)).toContainText(term);
  await page.getByRole('searchbox', { name: 'Search terms' }).fill('');
  await page.getByRole('switch', { name: 'With failures only' }).check({ force: true });
  await expect(rows.nth(1)).toContainText(/\d+ of \d+ failed/);
});
