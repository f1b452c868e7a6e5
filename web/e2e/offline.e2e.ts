import { domainsAddress, expect, rowsShown, test } from './fixtures';

test('says that it is offline and of when the rows are, and goes on by itself', async ({ signedIn: page, context }) => {
  await page.goto(domainsAddress());
  await rowsShown(page);
  await context.setOffline(true);
  await expect(page.getByText('You are offline. What is shown stays as it was loaded')).toBeVisible();
  await expect(page.getByText(/^Rows loaded at \d\d:\d\d$/)).toBeVisible();
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page.getByText(/^Rows loaded at \d\d:\d\d, before the last change of the list$/)).toBeVisible();
  await expect(page.locator('[data-refreshing]')).toHaveCount(0);
  await context.setOffline(false);
  await expect(page.getByText(/^Rows loaded at/)).toHaveCount(0);
  await rowsShown(page);
  await expect(page.getByText('You are offline')).toHaveCount(0);
});

test('shows its own panel for a screen that cannot be loaded offline, and the screen once it can be', async ({
  signedIn: page,
  context,
}) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await context.setOffline(true);
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Operations' }).click();
  const panel = page.getByRole('alert').filter({ hasText: 'You are offline' });
  await expect(panel.getByRole('button', { name: 'Try again' })).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Main menu' })).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible();
});
