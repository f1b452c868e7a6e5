import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { axe, expect, fillLogin, PASSWORD, test, WRITES } from './fixtures';

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

  await page.locator(`a[href="${href}"]`).click();
  await page.getByRole('button', { name: 'FR', exact: true }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Historique des activités' })).toBeVisible();
  await page.getByRole('main').getByRole('link', { name: 'Retour à Actions' }).click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr');
  await expect(page.locator(`a[href="${href}"]`)).toBeVisible();
  expect(new URL(page.url()).searchParams.get('page')).toBe('2');
});

test('opens a case, ignores it after a confirmation, and takes it up again', async ({ signedIn: page }) => {
  // Of a page that no other test changes.
  await page.goto(listOf({ status: inq('new'), order: 'domain', direction: 'DESC' }));
  await cardsShown(page);
  const link = cards(page).nth(3).getByRole('link').first();
  const [href, domain] = [await link.getAttribute('href'), await link.textContent()];
  await link.click();
  await expect(page.getByRole('heading', { level: 1, name: ` / ${domain}` })).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(href);

  const history = page.getByRole('region', { name: 'Activities history' }).getByRole('listitem');
  await page.getByRole('button', { name: 'All changes' }).click();
  await page.getByRole('menuitem', { name: 'ignore' }).click();
  await expect(page.getByRole('dialog', { name: 'Ignore this case?' })).toContainText('The case is set aside');
  await page.keyboard.press('Enter');
  await expect(page.getByText("The advertiser's status is up to date.")).toBeVisible();
  await expect(history.first()).toContainText('ignored');
  await expect(page.getByRole('button', { name: 'accept', exact: true })).toHaveCount(0);

  await page.getByRole('button', { name: 'cancel ignore' }).click();
  await expect(history.first()).toContainText('new');
  await page.getByRole('main').getByRole('link', { name: 'Back to Actions' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Actions', exact: true })).toBeVisible();
});

/** A new case of an advertiser that has others, too. */
async function oneOfSeveral(page: Page): Promise<{ ID: number; domain: string; brand: string }> {
  const answer = await page.request.get('/api/actions?status[]=new&country[]=FR&sortBy=-priority&page[size]=200');
  const { data } = await answer.json();
  const found = data.find((one: { advertiserID: number; ID: number }) =>
    data.some(
      (other: { advertiserID: number; ID: number }) => other.ID !== one.ID && other.advertiserID === one.advertiserID,
    ),
  );
  expect(found).toBeDefined();
  return found;
}

const TEXTS = {
  en: {
    list: 'Actions',
    position: 'Position in the list',
    history: 'Activities history',
    all: 'See all history',
    others: 'Other conversations with this advertiser',
    seeAll: 'See all conversations',
    remove: 'Remove the filter',
    note: 'Write a note',
    send: 'Send the note',
    classical: 'Classical advertisement',
    accept: 'Accept this case?',
    keys: 'Keyboard shortcuts',
    tabs: ['Case', 'E-mails', 'Notes', 'Ads'],
  },
  fr: {
    list: 'Actions',
    position: 'Position dans la liste',
    history: 'Historique des activités',
    all: "Voir tout l'historique",
    others: 'Autres conversations avec cet annonceur',
    seeAll: 'Voir toutes les conversations',
    remove: 'Retirer le filtre',
    note: 'Écrire une note',
    send: 'Envoyer la note',
    classical: 'Annonces classiques',
    accept: 'Accepter ce dossier ?',
    keys: 'Raccourcis clavier',
    tabs: ['Dossier', 'E-mails', 'Notes', 'Annonces'],
  },
} as const;

for (const language of ['en', 'fr'] as const) {
  test(`walks through a case in ${language} by keys and buttons, in any window`, async ({ signedIn: page }) => {
    const texts = TEXTS[language];
    const { ID, domain, brand } = await oneOfSeveral(page);
    const list = listOf({ status: inq('new'), country: inq('FR'), order: 'priority', direction: 'DESC', perPage: 200 });
    await page.goto(`${list}&lng=${language}`);
    await cardsShown(page);
    await page.locator(`a[href="/action/${ID}"]`).click();
    const title = page.getByRole('heading', { level: 1, name: `${texts.list} - ${brand} / ${domain}` });
    await expect(title).toBeVisible();
    await expect(page.getByRole('navigation', { name: /^(Main menu|Menu principal)$/ })).toHaveCount(0);
    const position = page.getByRole('navigation', { name: texts.position });
    const at = await position.innerText();
    await page.keyboard.press(']');
    await expect(position).not.toHaveText(at);
    await page.keyboard.press('[');
    await expect(title).toBeVisible();
    await expect(position).toHaveText(at);

    await page.getByRole('button', { name: texts.all }).click();
    await expect(page.getByRole('dialog', { name: texts.history })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.keyboard.press('/');
    const others = page.getByRole('dialog', { name: texts.others });
    await expect(others.getByRole('button', { name: new RegExp(`^${texts.remove}`) })).toHaveCount(2);
    const [opened] = await Promise.all([page.waitForEvent('popup'), others.getByRole('link').first().click()]);
    expect(opened.url()).toMatch(/\/action\/\d+/);
    expect(opened.url()).not.toContain(`/action/${ID}`);
    await opened.close();
    await page.keyboard.press('Escape');

    await page.keyboard.press('n');
    const message = `Called, ${language} ${Date.now()}`;
    await page.getByRole('textbox', { name: texts.note }).fill(message);
    await page.getByRole('button', { name: texts.send }).click();
    await expect(page.getByRole('listitem').filter({ hasText: message })).toContainText('Demo Administrator');
    await expect(page.getByRole('textbox', { name: texts.note })).toHaveValue('');
    await page.getByRole('textbox', { name: texts.note }).press('Escape');

    await page.keyboard.press('a');
    await expect(page.getByRole('dialog', { name: texts.accept })).toBeVisible();
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: texts.keys })).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);

    // Its ads are those of the last thirty days, of which each case has some.
    const classical = page.getByRole('button', { name: new RegExp(`^${texts.classical}`) });
    await expect(classical).toContainText(/\d/);
    for (const width of [1920, 1440, 1280, 768, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expect(title).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    }
    for (const name of texts.tabs) {
      await page
        .getByRole('tab', { name: new RegExp(`^${name}`) })
        .first()
        .click();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBe(390);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.keyboard.press('Escape');
    await expect(page.locator(`a[href="/action/${ID}"]`)).toBeVisible();
  });

  test(`has no violation of accessibility on the page of a case in ${language}`, async ({ signedIn: page }) => {
    const { ID } = await oneOfSeveral(page);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(`/action/${ID}?lng=${language}`);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(page.locator('[aria-busy="true"]').filter({ visible: true })).toHaveCount(0);
        // The mails are a page of their own.
        const { violations } = await axe(page).exclude('iframe').analyze();
        const found = violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html).slice(0, 3) }));
        expect(found, `${colorScheme}, ${width} px`).toEqual([]);
      }
    }
  });
}

test('shows the page for unknown addresses where there is no such case', async ({ signedIn: page }) => {
  await page.goto('/action/999999999');
  await expect(page.getByRole('heading', { level: 1, name: "This page doesn't exist." })).toBeVisible();
});

for (const [language, removeOrder, described, title] of [
  ['en', 'Remove the order', 'do not contain “shop”', 'Next step'],
  ['fr', 'Retirer le tri', 'ne contient pas « shop »', 'Prochaine étape'],
] as const) {
  test(`is ordered by priority where nobody orders it, leaves a part of a domain out, and is a file of its cases in ${language}`, async ({
    signedIn: page,
  }) => {
    const sorts: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/actions') sorts.push(searchParams.get('sortBy'));
    });
    await page.goto(`${listOf({ country: inq('FR') })}&lng=${language}`);
    await cardsShown(page);
    expect(sorts.at(-1)).toBe('-priority');
    const remove = page.getByRole('button', { name: removeOrder });
    await expect(remove).toHaveCount(0);
    await page.goto(`${listOf({ country: inq('FR'), order: 'domain' })}&lng=${language}`);
    await cardsShown(page);
    expect(sorts.at(-1)).toBe('domain');
    await remove.click();
    await expect.poll(() => sorts.at(-1)).toBe('-priority');

    await page.goto(`${listOf({ country: inq('FR'), domain: { type: 'exclude', value: 'shop' } })}&lng=${language}`);
    await cardsShown(page);
    for (const card of await cards(page).all()) await expect(card.getByRole('link').first()).not.toContainText('shop');
    await expect(page.getByText(described)).toBeVisible();

    const ready = page.waitForEvent('download');
    await page.getByRole('button', { name: /CSV/ }).click();
    const file = await ready;
    expect(file.suggestedFilename()).toMatch(/^actions-\d{4}-\d\d-\d\d\.csv$/);
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines[0]).toContain(title);
    const totalOf = async (query: string): Promise<number> => {
      const found = await page.request.get(`/api/actions?country[]=FR&figures=false${query}`);
      return (await found.json()).meta.page.total;
    };
    const [all, without] = [await totalOf(''), await totalOf('&domain[exclude]=shop')];
    expect(lines.length - 1).toBe(without);
    expect(without).toBeLessThan(all);
  });
}

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
  // Figures of cases are there, and lead nowhere.
  await expect(page.getByText(/\d gone/)).toBeVisible();
  await expect(page.locator('a[href^="/action"]')).toHaveCount(0);
  await page.goto('/todo');
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'To do' })).toHaveCount(0);
});
