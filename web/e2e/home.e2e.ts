import { expect, test } from './fixtures';

test('shows the period’s totals, the days and the last captures', async ({ signedIn: page }) => {
  await page.goto('/');
  await expect(page.getByRole('figure', { name: /views? by .* advertisers/ })).toBeVisible();
  await expect(page.getByRole('list').getByText('Advertisers seen')).toBeVisible();
  const captures = page.getByRole('region', { name: 'Last captures' }).getByRole('table');
  await expect(captures.getByRole('row').nth(1)).toContainText(/Google|Bing/);
});

test('leads from a figure to the list behind it, which says the same', async ({ signedIn: page }) => {
  await page.goto('/');
  const tile = page.getByRole('listitem').filter({ hasText: 'Advertisers seen' });
  const figure = tile.getByRole('link');
  await expect(figure).toHaveText(/^[\d,]+$/);
  const shown = await figure.textContent();
  await figure.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Domains' })).toBeVisible();
  await expect(page.getByText(new RegExp(`^${shown} domains?$`)).first()).toBeVisible();
});

test('narrows every figure to an engine, in the address', async ({ signedIn: page }) => {
  await page.goto('/');
  await page.getByRole('button', { name: 'Engine' }).click();
  await page.getByRole('dialog').getByText('Bing', { exact: true }).click();
  await expect(page).toHaveURL(/engine=.*bing/);
  await expect(page.getByRole('button', { name: 'Engine: Bing' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('button', { name: 'Engine: Bing' })).toBeVisible();
  const link = page.getByRole('listitem').filter({ hasText: 'Advertisers seen' }).getByRole('link');
  await expect(link).toHaveAttribute('href', /engine=.*bing/);
});

test('moves in the hours of the week by arrow keys', async ({ signedIn: page }) => {
  await page.goto('/');
  const hours = page.getByRole('region', { name: 'When others are present' });
  const chosen = hours.getByRole('button', { pressed: true });
  await expect(chosen).toHaveCount(1);
  await chosen.focus();
  const before = await chosen.getAttribute('data-at');
  await page.keyboard.press('ArrowRight');
  await expect(chosen).not.toHaveAttribute('data-at', before ?? '');
  await expect(chosen).toBeFocused();
  await expect(hours.getByText(/captures? \(|no capture/)).toBeVisible();
});

test('finds a domain by the slash key, and opens its list', async ({ signedIn: page }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await page.keyboard.press('/');
  const field = page.getByRole('combobox', { name: 'Search' });
  await expect(field).toBeFocused();
  await field.fill('.example');
  const found = page.getByRole('listbox', { name: 'Found' });
  await expect(found.getByRole('group', { name: 'Domains' }).getByRole('option').first()).toBeVisible();
  const name = await found.getByRole('option', { selected: true }).textContent();
  await page.keyboard.press('ArrowDown');
  await expect(found.getByRole('option', { selected: true })).not.toHaveText(name ?? '');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/domains\?.*domain=/);
  await expect(page.getByRole('heading', { level: 1, name: 'Domains' })).toBeVisible();
});

test('keeps the period in the address', async ({ signedIn: page }) => {
  await page.goto('/');
  await page.getByText('90 days', { exact: true }).click();
  await expect(page).toHaveURL(/days=90/);
  await page.reload();
  await expect(page.getByRole('radio', { name: '90 days' })).toBeChecked();
});

test('switches the language of everything, and keeps it', async ({ signedIn: page }) => {
  await page.goto('/');
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
