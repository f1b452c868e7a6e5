import { domainsAddress, expect, rowsShown, shownDomains, test } from './fixtures';

const address = (url: string) => Object.fromEntries(new URL(url).searchParams);

for (const [language, title, heading, documentTitle] of [
  ['en', 'Domain', 'Domains', 'Vigie | Domains'],
  ['fr', 'Domaine', 'Domaines', 'Vigie | Domaines'],
] as const) {
  test(`opens in ${language}`, async ({ signedIn: page }) => {
    await page.goto(`/domains?lng=${language}`);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expect(page).toHaveTitle(documentTitle);
    await rowsShown(page);
    await expect(page.getByRole('columnheader', { name: title, exact: true })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', language);
  });
}

test('writes its whole state into the address', async ({ signedIn: page }) => {
  await page.goto('/domains');
  await rowsShown(page);
  const keys = address(page.url());
  expect(keys).toMatchObject({ page: '1', perPage: '30', order: '"nbViews"', direction: '"DESC"' });
  expect(JSON.parse(keys.date ?? '')).toMatchObject({ type: 'between', preset: 'last7' });
});

test('sorts on the server: upwards, then the other way', async ({ signedIn: page }) => {
  await page.goto(domainsAddress());
  await rowsShown(page);
  const header = page.getByRole('columnheader', { name: 'Domain', exact: true });
  // The heading says the new order at once, the rows have it when the server has answered.
  const shownIn = async (order: (domains: string[]) => string[]) => {
    let shown: string[] = [];
    await expect(async () => {
      shown = await shownDomains(page);
      expect(shown).not.toEqual([]);
      expect(shown).toEqual(order([...shown]));
    }).toPass({ timeout: 10_000 });
    return shown;
  };
  await header.click();
  await expect(header).toHaveAttribute('aria-sort', 'ascending');
  const upwards = await shownIn((domains) => domains.sort());
  await header.click();
  await expect(header).toHaveAttribute('aria-sort', 'descending');
  const downwards = await shownIn((domains) => domains.sort().reverse());
  expect(downwards[0]).not.toBe(upwards[0]);
});

test('filters from the panel, shows what is applied and takes it away again', async ({ signedIn: page }) => {
  await page.goto(domainsAddress());
  await rowsShown(page);
  const [wanted = ''] = await shownDomains(page);
  await page.getByRole('button', { name: /^Filters/ }).click();
  const panel = page.getByRole('dialog', { name: 'Filters' });
  await panel.getByRole('combobox', { name: 'Domain' }).fill(wanted);
  await panel.getByRole('combobox', { name: 'Domain' }).press('Enter');
  await panel.getByRole('button', { name: 'save and close' }).click();

  const strip = page.getByRole('list', { name: 'Applied filters' });
  await expect(strip).toContainText(wanted);
  await expect.poll(() => shownDomains(page)).toEqual([wanted]);
  expect(JSON.parse(address(page.url()).domain ?? '')).toEqual({ type: 'inq', value: [wanted] });

  await strip.getByRole('button', { name: 'Remove the filter Domain' }).click();
  await expect.poll(async () => (await shownDomains(page)).length).toBeGreaterThan(1);
});

test('pages, and goes back to page 1 with another page size', async ({ signedIn: page }) => {
  await page.goto(domainsAddress());
  await rowsShown(page);
  await expect(page.getByRole('button', { name: 'Previous page' })).toBeDisabled();
  const first = await shownDomains(page);
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect.poll(() => address(page.url()).page).toBe('2');
  // The rows of the page before stay until the others are there.
  const shownBefore = async () => (await shownDomains(page)).filter((domain) => first.includes(domain));
  await expect.poll(shownBefore).toEqual([]);
  await rowsShown(page);
  await page.getByLabel('Rows per page').selectOption('100');
  await expect.poll(() => address(page.url())).toMatchObject({ page: '1', perPage: '100' });
});

test('shows the same after a reload and after going back', async ({ signedIn: page }) => {
  await page.goto(domainsAddress({ order: 'domain', direction: 'ASC', page: 2 }));
  await rowsShown(page);
  const before = { url: page.url(), domains: await shownDomains(page) };
  await page.reload();
  await rowsShown(page);
  expect({ url: page.url(), domains: await shownDomains(page) }).toEqual(before);

  await page.getByRole('button', { name: 'Previous page' }).click();
  await expect.poll(() => address(page.url()).page).toBe('1');
  await page.goBack();
  await rowsShown(page);
  await expect.poll(() => shownDomains(page)).toEqual(before.domains);
});

test('remembers the list for the next visit', async ({ signedIn: page }) => {
  await page.goto(domainsAddress({ perPage: 100, order: 'domain', direction: 'ASC' }));
  await rowsShown(page);
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('list:v1:')).length))
    .toBe(1);
  await page.getByRole('link', { name: 'Dashboard' }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Domains' }).click();
  await expect.poll(() => address(page.url())).toMatchObject({ perPage: '100', order: '"domain"' });
});

test('counts all that matches, whatever the page', async ({ signedIn: page }) => {
  await page.goto(domainsAddress());
  await rowsShown(page);
  const counters = page.getByRole('main').getByText(/^[\d,]+ (?:domains|ads|views)$/);
  const before = await counters.allTextContents();
  expect(before).toHaveLength(3);
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect.poll(() => address(page.url()).page).toBe('2');
  await rowsShown(page);
  expect(await counters.allTextContents()).toEqual(before);
});

test('becomes cards without a header row on a phone', async ({ signedIn: page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(domainsAddress());
  await expect(page.getByRole('article').first()).toBeVisible();
  await expect(page.getByRole('columnheader')).toHaveCount(0);
  await page.getByRole('button', { name: 'Open the menu' }).click();
  await expect(page.getByRole('dialog').getByRole('link', { name: 'Domains' })).toBeVisible();
});

test('asks for a thousand pasted domains', async ({ signedIn: page }) => {
  const value = Array.from({ length: 1_000 }, (_, index) => `number-${index}.some-brand-of-shoes.example`);
  const answered = page.waitForResponse(/\/api\/Sems\/findAdvertisers\?/);
  await page.goto(domainsAddress({ domain: { type: 'nin', value } }));
  expect((await answered).status()).toBe(200);
  await rowsShown(page);
});
