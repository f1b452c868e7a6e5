import { readFile } from 'node:fs/promises';
import { domainsAddress, expect, rowsShown, shownDomains, test } from './fixtures';

for (const [language, open, ads, dates, close, csv] of [
  ['en', 'Show the ads of', 'Ads of', 'Key dates', 'Close the ads', 'Domain'],
  ['fr', 'Voir les annonces de', 'Annonces de', 'Dates clés', 'Fermer les annonces', 'Domaine'],
] as const) {
  test(`shows and downloads the ads under a row in ${language}`, async ({ signedIn: page }) => {
    await page.goto(`${domainsAddress()}&lng=${language}`);
    await rowsShown(page);
    const [domain = ''] = await shownDomains(page);
    await page.getByRole('button', { name: `${open} ${domain}`, exact: true }).click();
    const portal = page.getByRole('region', { name: `${ads} ${domain}`, exact: true });
    await expect(portal.getByRole('columnheader', { name: dates }).first()).toBeVisible();
    const shown = portal.getByRole('row').filter({ has: page.getByRole('cell') });
    expect(await shown.count()).toBeLessThanOrEqual(50);

    const [file] = await Promise.all([
      page.waitForEvent('download'),
      portal.getByRole('button', { name: /CSV/ }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^ads-\d{4}-\d\d-\d\d\.csv$/);
    const text = await readFile(await file.path(), 'utf8');
    expect(text.startsWith(`\ufeff${csv},`)).toBe(true);
    expect(text).toContain(domain);

    await portal.getByRole('button', { name: close }).click();
    await expect(portal).toHaveCount(0);
  });
}

test('shows the pictures of products, as the captured pages had them', async ({ signedIn: page }) => {
  const asked: number[] = [];
  page.on('response', (response) => {
    if (/\/api\/capture-iframe\/[^/]+\/product\?/.test(response.url())) asked.push(response.status());
  });
  // The ads of the last hours are those whose pages are kept.
  const value = { start: new Date(Date.now() - 6 * 3_600_000).toISOString(), end: new Date().toISOString() };
  await page.goto(domainsAddress({ type: { type: 'inq', value: ['shopping'] }, date: { type: 'between', value } }));
  await rowsShown(page);
  const [domain = ''] = await shownDomains(page);
  await page.getByRole('button', { name: `Show the ads of ${domain}`, exact: true }).click();
  const portal = page.getByRole('region', { name: `Ads of ${domain}`, exact: true });
  const picture = portal.getByRole('link', { name: 'Open the picture of the ad' }).locator('img').first();
  await expect(picture).toBeVisible();
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(8);
  expect(asked.filter((status) => status !== 200)).toEqual([]);
});

test('downloads the whole list, whatever the page, by a ticket that works once', async ({ signedIn: page }) => {
  await page.goto(domainsAddress());
  await rowsShown(page);
  const total = await page.getByText(/^[\d,]+ domains$/).textContent();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV export' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^domains-\d{4}-\d\d-\d\d\.csv$/);
  const rows = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  // Under the rows stand the captures they rest on.
  const end = rows.findIndex((row) => row.startsWith('Valid captures'));
  expect(end - 1).toBe(Number(total?.replace(/\D/g, '')));
  expect((await page.request.get(file.url(), { headers: { cookie: '' } })).status()).toBe(401);
});

test('downloads the list as a workbook too', async ({ signedIn: page }) => {
  await page.goto(domainsAddress());
  await rowsShown(page);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Excel export (XLSX)' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^domains-\d{4}-\d\d-\d\d\.xlsx$/);
  // An XLSX file is a ZIP archive.
  expect((await readFile(await file.path())).subarray(0, 2).toString()).toBe('PK');
});

test('opens the ads by keys and copies the public address of a capture', async ({ signedIn: page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // Pages of older captures, which the demonstration makes up, are not kept.
  const value = {
    start: new Date(Date.now() - 3_600_000).toISOString(),
    end: new Date(Date.now() + 3_600_000).toISOString(),
  };
  await page.goto(domainsAddress({ date: { type: 'between', value } }));
  await rowsShown(page);
  const [domain = ''] = await shownDomains(page);
  await page.getByRole('gridcell', { name: new RegExp(`^${domain}`) }).click({ position: { x: 3, y: 3 } });
  await page.keyboard.press('Enter');
  const portal = page.getByRole('region', { name: `Ads of ${domain}`, exact: true });
  await portal.getByRole('button', { name: 'Copy url' }).first().click();
  await expect(page.getByRole('tooltip', { name: 'Url copied!' })).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/\/public-html-ad-content\/[0-9a-f-]{36}\?domain=.+&adstype=(?:ads|shopping)$/);
  await page.keyboard.press('Escape');
  await expect(portal).toHaveCount(0);
});

test('shows when in the week a domain is seen, and the ads of one hour', async ({ signedIn: page }) => {
  await page.goto(domainsAddress());
  await rowsShown(page);
  const [domain = ''] = await shownDomains(page);
  await page.getByRole('button', { name: `Show the ads of ${domain}`, exact: true }).click();
  const portal = page.getByRole('region', { name: `Ads of ${domain}`, exact: true });
  await portal.getByText('Hours', { exact: true }).click();
  const hour = portal.getByRole('button', { name: /: [1-9]\d* ads, seen in \d+ of \d+ captures$/ }).first();
  const [, ads] = /: ([\d,]+) ads/.exec((await hour.getAttribute('aria-label')) ?? '') ?? [];
  await hour.click();
  const shown = portal.getByRole('row').filter({ has: page.getByRole('cell') });
  await expect(shown).toHaveCount(Math.min(50, Number(ads?.replace(/\D/g, ''))));
});

test('tells the presence of a domain with its denominator', async ({ signedIn: page }) => {
  await page.goto(domainsAddress());
  await rowsShown(page);
  await expect(page.getByTitle(/^Seen in [\d,]+ of [\d,]+ valid captures$/).first()).toBeAttached();
  await expect(page.getByRole('img', { name: /^Views by day/ }).first()).toBeAttached();
});

test('keeps a list under a name and opens it again', async ({ signedIn: page }, { title }) => {
  const name = `${title} ${Date.now()}`.slice(0, 80);
  await page.goto(domainsAddress({ perPage: 100, order: 'domain', direction: 'ASC' }));
  await rowsShown(page);
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('textbox', { name: 'Name of the view' }).fill(name);
  await page.getByRole('button', { name: 'Save this view' }).click();
  await expect(page.getByRole('button', { name: `Remove the view ${name}` })).toBeVisible();
  await page.goto(domainsAddress());
  await rowsShown(page);
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('button', { name, exact: true }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('perPage')).toBe('100');
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('button', { name: `Remove the view ${name}` }).click();
  await page
    .getByRole('dialog', { name: 'Remove the view?' })
    .getByRole('button', { name: `Remove the view ${name}` })
    .click();
  await expect(page.getByText('View removed')).toBeVisible();
  await page.getByRole('button', { name: 'Saved views' }).click();
  await expect(page.getByRole('textbox', { name: 'Name of the view' })).toBeVisible();
  await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0);
});
