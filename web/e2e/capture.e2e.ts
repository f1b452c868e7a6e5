import { captureWithAds, expectOutlined, publicAddress } from './captures';
import { expect, test } from './fixtures';

const ENGLISH = /^Taken on (Google|Bing) [a-z]{2}_[A-Z]{2} at \d\d\/\d\d\/\d{4} \d{1,2}:\d\d:\d\d with keywords .+$/;
const FRENCH =
  /^Capturé sur (Google|Bing) [a-z]{2}_[A-Z]{2} le \d\d\/\d\d\/\d{4} \d{1,2}:\d\d:\d\d avec les mots-clés .+$/;
const UNKNOWN = '8d3a7e0e-5f0c-4a53-9c5e-0a4f3f0f7d11';

test('opens from the last captures, in both languages', async ({ signedIn: page }) => {
  await page.goto('/');
  const row = page
    .getByRole('table')
    .getByRole('row')
    .filter({ has: page.getByRole('link') })
    .first();
  const term = await row.getByRole('link').innerText();
  await row.getByRole('link').click();
  await expect(page).toHaveURL(/\/terms\/capture\/[0-9a-f-]{36}$/);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText(ENGLISH);
  await expect(heading).toContainText(term);
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText('search engine capture');
  await expect(page.frameLocator('iframe').locator('body')).toContainText(term);
  await page.getByRole('button', { name: 'FR' }).click();
  await expect(heading).toHaveText(FRENCH);
  await expect(page.frameLocator('iframe').locator('body')).toContainText(term);
});

test('anybody with the link sees the page, at the ad and with it outlined', async ({ signedIn, visitor: open }) => {
  const found = await captureWithAds(signedIn);
  const visitor = await open();
  await visitor.goto(publicAddress(found));
  await expect(visitor.getByRole('heading', { level: 1 })).toHaveText(ENGLISH);
  await expect(visitor.getByText(`The ad of ${found.domain} is outlined.`)).toBeVisible();
  await expectOutlined(visitor, found.ad);
  await expect(visitor.getByRole('navigation')).toHaveCount(0);
  await expect(visitor.locator('iframe')).toHaveAttribute('sandbox', '');
});

test('copies the public address', async ({ signedIn: page, context }) => {
  const found = await captureWithAds(page);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`/terms/capture/${found.requestID}?domain=${found.domain}&adstype=ads`);
  await expectOutlined(page, found.ad);
  await page.getByRole('button', { name: 'Copy url' }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toBe(new URL(publicAddress(found), page.url()).href);
});

test('on a phone the frame is as high as the window and shows the ad', async ({ signedIn: page }) => {
  const found = await captureWithAds(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(publicAddress(found));
  await expectOutlined(page, found.ad);
  const height = async () => (await page.locator('iframe').boundingBox())?.height ?? 0;
  const first = await height();
  expect(first).toBeGreaterThan(300);
  expect(first).toBeLessThanOrEqual(844);
  await page.getByRole('heading', { level: 1 }).click();
  expect(await height()).toBe(first);
  // Inside the ad: what is around it may be cut off.
  await expect(page.frameLocator('iframe').locator(`#ad-${found.ad}`)).toHaveCSS('outline-offset', '-3px');
});

test('what is no hostname and no kind of ads is asked for as none', async ({ signedIn: page }) => {
  const { requestID } = await captureWithAds(page);
  const asked = page.waitForRequest(/htmlContent/);
  await page.goto(`/public-html-ad-content/${requestID}?domain=${encodeURIComponent('<script>')}&adstype=foo`);
  const query = new URL((await asked).url()).searchParams;
  expect(Object.fromEntries(query)).toEqual({ page: '1', domain: 'none', adstype: 'none' });
});

for (const [kind, id] of [
  ['unknown', UNKNOWN],
  ['malformed', 'nope'],
])
  test(`says that nothing is found under an id that is ${kind}`, async ({ page }) => {
    await page.goto(`/public-html-ad-content/${id}`);
    await expect(page.getByText('not found', { exact: true })).toBeVisible();
    await expect(page.getByRole('alert')).toContainText('No capture has this address');
    await page.goto(`/public-html-ad-content/${id}?lng=fr`);
    await expect(page.getByText('introuvable', { exact: true })).toBeVisible();
  });

test('inside the monitoring section one signs in first', async ({ page }) => {
  await page.goto(`/terms/capture/${UNKNOWN}?domain=shop.example`);
  await expect(page).toHaveURL(
    `/login?redirect=${encodeURIComponent(`/terms/capture/${UNKNOWN}?domain=shop.example`)}`,
  );
});
