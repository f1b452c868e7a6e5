import { expect, test } from './fixtures';

test('shows the reference of the API, and tries a call as whoever is signed in', async ({ signedIn: page }) => {
  const refused: string[] = [];
  await page.goto('/domains');
  await page.getByRole('button', { name: /^Account of / }).click();
  await page.getByRole('menuitem', { name: 'edit profile' }).click();
  await page.getByRole('dialog').getByRole('tab', { name: 'API keys' }).click();
  const opening = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Reference of the API, to read and to try' }).click();
  const reference = await opening;
  reference.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text());
  });
  await expect(reference.getByRole('heading', { name: /Vigie/ })).toBeVisible({ timeout: 20_000 });
  await reference.getByPlaceholder('Filter by tag').fill('Home');
  await reference.locator('.opblock-tag', { hasText: 'Home' }).first().click();
  const call = reference.locator('.opblock', { hasText: '/api/reports/{id}' }).first();
  await call.locator('.opblock-summary').click();
  await call.locator('input[placeholder="id"]').fill('1');
  await call.getByRole('button', { name: 'Execute' }).click();
  // The session is known, and there is no such report.
  await expect(call.locator('.live-responses-table .response-col_status').last()).toHaveText(/404/);
  await reference.screenshot({ path: test.info().outputPath('reference.png') });
  expect(refused).toEqual([]);
});
