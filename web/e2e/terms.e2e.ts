import { expect, rowsShown, test } from './fixtures';

for (const [language, title, heading, documentTitle] of [
  ['en', 'Term', 'Terms', 'Vigie | Terms'],
  ['fr', 'Mot-clé', 'Mots-clés', 'Vigie | Mots-clés'],
] as const) {
  test(`opens in ${language}`, async ({ signedIn: page }) => {
    await page.goto(`/terms?lng=${language}`);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expect(page).toHaveTitle(documentTitle);
    await rowsShown(page);
    await expect(page.getByRole('columnheader', { name: title, exact: true })).toBeVisible();
  });
}

test('leads from a term to the domains seen on it', async ({ signedIn: page }) => {
  await page.goto('/terms?lng=en');
  await rowsShown(page);
  const link = page.getByRole('gridcell').getByRole('link').first();
  const words = (await link.textContent()) ?? '';
  await link.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Domains' })).toBeVisible();
  const strip = page.getByRole('list', { name: 'Applied filters' });
  await expect(strip).toContainText(words);
  await expect(strip).toContainText('Country');
  await expect(strip).toContainText('Engine');
  await rowsShown(page);
});
