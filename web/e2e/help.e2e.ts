import { domainsAddress, expect, test } from './fixtures';

test('opens from the menu, and leads from page to page', async ({ signedIn: page }) => {
  await page.goto('/');
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Help' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'User guide' })).toBeFocused();
  await page
    .getByRole('main')
    .getByRole('link', { name: /^First day of a brand owner/ })
    .click();
  await expect(page).toHaveTitle('Vigie | First day of a brand owner');
  await expect(page.getByRole('heading', { level: 1, name: 'First day of a brand owner' })).toBeFocused();
  await page.getByRole('article').getByRole('link', { name: 'view', exact: true }).click();
  await expect(page).toHaveURL(/\/help\/lists#saved-views$/);
  await expect(page.getByRole('heading', { level: 2, name: /^Saved views/ })).toBeFocused();
  await expect(page.getByRole('heading', { level: 2, name: /^Saved views/ })).toBeInViewport();
  await page.getByRole('article').getByRole('link', { name: 'Captures and evidence' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Captures and evidence' })).toBeVisible();
});

test('opens at a heading, whose pictures load, and changes its language', async ({ signedIn: page }) => {
  await page.goto('/help/cases#keys');
  await expect(page.getByRole('heading', { level: 2, name: /^Keys/ })).toBeInViewport();
  const picture = page.getByRole('img', { name: 'The page of a case' });
  await picture.scrollIntoViewIfNeeded();
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1200);
  await page.getByRole('button', { name: 'FR' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Dossiers' })).toBeVisible();
  await expect(page.getByRole('img', { name: "La page d'un dossier" })).toBeVisible();
});

test('is where an empty list leads', async ({ signedIn: page }) => {
  await page.goto(domainsAddress({ adTitle: { type: 'contain', value: 'no ad has this title' } }));
  await page.getByRole('link', { name: 'Read about this page in the guide' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Lists, filters and saved views' })).toBeFocused();
  await page.goto('/help/no-such-page');
  await expect(page).toHaveURL(/\/404/);
});

test('is opened from the account menu where there is no side menu', async ({ signedIn: page }) => {
  await page.goto('/actions');
  await page.getByRole('button', { name: /^Account of / }).click();
  await page.getByRole('menuitem', { name: 'Help' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'User guide' })).toBeVisible();
});
