import { expect, test } from './fixtures';

test('shows the period’s totals, the days and the last captures', async ({ signedIn: page }) => {
  await expect(page.getByRole('figure', { name: /views from .* to / })).toBeVisible();
  await expect(page.getByRole('list').getByText('Advertisers seen')).toBeVisible();
  const captures = page.getByRole('table');
  await expect(captures.getByRole('row').nth(1)).toContainText(/Google|Bing/);
});

test('keeps the period in the address', async ({ signedIn: page }) => {
  await page.getByText('90 days', { exact: true }).click();
  await expect(page).toHaveURL(/days=90/);
  await page.reload();
  await expect(page.getByRole('radio', { name: '90 days' })).toBeChecked();
});

test('switches the language of everything, and keeps it', async ({ signedIn: page }) => {
  await page.getByRole('button', { name: 'FR' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Tableau de bord' })).toBeVisible();
  await expect(page).toHaveTitle('Vigie | Tableau de bord');
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1, name: 'Tableau de bord' })).toBeVisible();
});

test('keeps the links of its menu in place while it opens under the pointer', async ({ signedIn: page }) => {
  await page.goto('/');
  const link = page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Domains' });
  const closed = await link.boundingBox();
  await link.hover();
  await expect(page.getByText('Keep the menu open')).toBeVisible();
  const open = await link.boundingBox();
  expect(open?.y).toBe(closed?.y);
});
