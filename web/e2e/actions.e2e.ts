import type { Page } from '@playwright/test';
import { expect, fillLogin, PASSWORD, test, WRITES } from './fixtures';

/** An address of the list with these filters; nothing else is asked for. */
const listOf = (filters: Record<string, unknown>) =>
  `/actions?${new URLSearchParams(Object.entries(filters).map(([name, value]) => [name, JSON.stringify(value)]))}`;

const inq = (...value: string[]) => ({ type: 'inq', value });

/** New cases, those seen longest ago first: others' tests change the ones seen last. */
const oldest = (country: string) =>
  listOf({ status: inq('new'), country: inq(country), order: 'lastView', direction: 'ASC' });

const cards = (page: Page) => page.getByRole('article');

/** Waits until the list has its cards. */
async function cardsShown(page: Page): Promise<void> {
  await expect(cards(page).first()).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

const idOf = async (page: Page, at: number): Promise<number> => {
  const href = await cards(page).nth(at).getByRole('link').first().getAttribute('href');
  return Number(href?.split('/').at(-1));
};

for (const [language, actions, todo, requested] of [
  ['en', 'Actions', 'To do', 'requested'],
  ['fr', 'Actions', 'À faire', 'demandé'],
] as const) {
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    test(`opens in ${language} at ${width} px on what is requested, from the switch of workspaces`, async ({
      signedIn: page,
    }) => {
      await page.setViewportSize({ width, height });
      await page.goto(`/?lng=${language}`);
      await page.getByRole('link', { name: actions, exact: true }).click();
      await expect(page.getByRole('heading', { level: 1, name: actions })).toBeVisible();
      await expect(page).toHaveTitle(`Vigie | ${actions}`);
      await cardsShown(page);
      const address = new URL(page.url()).searchParams;
      expect([address.get('order'), address.get('direction'), address.get('perPage')]).toEqual([
        '"requestedDate"',
        '"ASC"',
        '30',
      ]);
      expect(JSON.parse(address.get('status') ?? '')).toEqual(inq('requested'));
      for (const card of await cards(page).all()) await expect(card).toContainText(requested, { ignoreCase: true });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await expect(page.getByRole('navigation', { name: /^(Main menu|Menu principal)$/ })).toHaveCount(0);

      await page.getByRole('link', { name: new RegExp(`^${todo}`) }).click();
      await expect(page.getByRole('heading', { level: 1, name: todo })).toBeVisible();
      await cardsShown(page);
      await expect(cards(page)).toHaveCount(2);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    });
  }
}

test('requests cases by keys, says so in one line, and takes them back', async ({ signedIn: page }) => {
  await page.goto(oldest('BE'));
  await cardsShown(page);
  const ids = [await idOf(page, 0), await idOf(page, 1)];
  for (const key of ['j', 'x', 'j', 'Shift+X', 'm']) await page.keyboard.press(key);
  await expect(page.getByText('2 requested', { exact: true })).toBeVisible();
  const answer = await page.request.get(`/api/actions?${ids.map((id) => `ID[]=${id}`).join('&')}`);
  const { data } = await answer.json();
  expect(data.map(({ status }: { status: string }) => status)).toEqual(['requested', 'requested']);
  expect(data[0].history.at(-1).status).toBe('requested');

  await page.goto(listOf({ status: inq('requested'), country: inq('BE'), order: 'requestedDate', direction: 'DESC' }));
  await cardsShown(page);
  expect([await idOf(page, 0), await idOf(page, 1)].sort()).toEqual([...ids].sort());
  await page
    .getByRole('checkbox', { name: /^Select / })
    .nth(1)
    .check();
  await page
    .getByRole('checkbox', { name: /^Select / })
    .nth(2)
    .check();
  await page.getByRole('toolbar').getByRole('button', { name: 'cancel request' }).click();
  await expect(page.getByText('2 requests cancelled', { exact: true })).toBeVisible();
});

test('shows what others change where it is, and moves nothing until asked', async ({ signedIn: page }) => {
  const opened = page.waitForRequest(/\/api\/Actions\/change-stream/);
  await page.goto(oldest('GB'));
  await cardsShown(page);
  await (await opened).response();
  const [first, second] = [await idOf(page, 0), await idOf(page, 1)];
  const change = (act: string) => page.request.post(`/api/actions/${act}`, { ...WRITES, data: { actionID: [second] } });
  expect((await change('ignored')).ok()).toBe(true);
  await expect(page.getByText('1 case changed.')).toBeVisible();
  await expect(cards(page).nth(1)).toContainText('ignored', { ignoreCase: true });
  expect([await idOf(page, 0), await idOf(page, 1)]).toEqual([first, second]);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByText('1 case changed.')).toHaveCount(0);
  await expect(page.locator(`a[href="/action/${second}"]`)).toHaveCount(0);
  await change('cancelIgnore');
});

test('finds the card again that was left', async ({ signedIn: page }) => {
  await page.goto(listOf({ status: inq('new'), order: 'domain', direction: 'ASC', page: 2 }));
  await cardsShown(page);
  const link = cards(page).nth(12).getByRole('link').first();
  const href = await link.getAttribute('href');
  await link.scrollIntoViewIfNeeded();
  const before = await link.boundingBox();
  await link.click();
  await expect(page.getByRole('heading', { level: 1, name: 'Actions', exact: true })).toHaveCount(0);
  await page.goBack();
  await expect(page.locator(`a[href="${href}"]`)).toBeFocused();
  expect(new URL(page.url()).searchParams.get('page')).toBe('2');
  const after = await page.locator(`a[href="${href}"]`).boundingBox();
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 1_000))).toBeLessThan(4);
});

test('opens a case, ignores it after a confirmation, and takes it up again', async ({ signedIn: page }) => {
  // Of a page that no other test changes.
  await page.goto(listOf({ status: inq('new'), order: 'domain', direction: 'DESC' }));
  await cardsShown(page);
  const link = cards(page).nth(3).getByRole('link').first();
  const [href, domain] = [await link.getAttribute('href'), await link.textContent()];
  await link.click();
  await expect(page.getByRole('heading', { level: 1, name: domain ?? '' })).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(href);

  const history = page.getByRole('region', { name: 'Activities history' }).getByRole('listitem');
  const before = await history.count();
  await page.getByRole('button', { name: 'More changes' }).click();
  await page.getByRole('menuitem', { name: 'ignore' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'ignore' }).click();
  await expect(page.getByText("The advertiser's status is up to date.")).toBeVisible();
  await expect(history).toHaveCount(before + 1);
  await expect(history.first()).toContainText('ignored');
  await expect(page.getByRole('button', { name: 'accept' })).toHaveCount(0);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);

  await page.getByRole('button', { name: 'cancel ignore' }).click();
  await expect(history.first()).toContainText('new');
  await page.getByRole('main').getByRole('link', { name: 'Actions', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Actions', exact: true })).toBeVisible();
});

test('shows the page for unknown addresses where there is no such case', async ({ signedIn: page }) => {
  await page.goto('/action/999999999');
  await expect(page.getByRole('heading', { level: 1, name: "This page doesn't exist." })).toBeVisible();
});

test('exports the list in both formats', async ({ signedIn: page }) => {
  await page.goto('/actions');
  await cardsShown(page);
  for (const [button, file] of [
    ['CSV export', /-\d{4}-\d\d-\d\d\.csv$/],
    ['Excel export (XLSX)', /-\d{4}-\d\d-\d\d\.xlsx$/],
  ] as const) {
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: button }).click();
    expect((await download).suggestedFilename()).toMatch(file);
  }
});

test('is closed to whom the switch of workspaces is not given', async ({ page }) => {
  await page.goto('/login?lng=en');
  await fillLogin(page, 'user@kestrel.example', PASSWORD);
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await page.goto('/todo');
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'To do' })).toHaveCount(0);
});
