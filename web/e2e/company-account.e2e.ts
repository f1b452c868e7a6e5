import { expect, rowsShown, test } from './fixtures';

const WORDS = {
  en: {
    title: 'Company accounts',
    create: 'Create',
    name: 'Name',
    required: 'The name is required',
    created: 'Company account created',
    update: 'Update',
    updated: 'Company account updated',
    delete: 'Delete',
    deleted: 'Company account deleted',
    inUse: 'Other records still need this one; remove them first.',
    menu: 'What to do with ',
    close: 'Close',
    failure: 'The company accounts could not be loaded',
    forbidden: 'You are not allowed to do this.',
    filter: 'Company account',
    key: {
      keys: 'API keys',
      keyName: 'Name',
      make: 'Make a key',
      newKey: 'The new key',
      done: 'Done',
      list: 'Keys of ',
      end: 'End the key ',
      sure: 'End',
      ended: 'The key has been ended.',
    },
  },
  fr: {
    title: 'Comptes client',
    create: 'Créer',
    name: 'Nom',
    required: 'Le nom est obligatoire',
    created: 'Compte client créé',
    update: 'Modifier',
    updated: 'Compte client mis à jour',
    delete: 'Supprimer',
    deleted: 'Compte client supprimé',
    inUse: "D'autres éléments en dépendent encore ; supprimez-les d'abord.",
    menu: 'Que faire de ',
    close: 'Fermer',
    failure: "Les comptes client n'ont pas pu être chargés",
    forbidden: "Vous n'avez pas le droit de faire cela.",
    filter: 'Compte client',
    key: {
      keys: 'Clés API',
      keyName: 'Nom',
      make: 'Créer une clé',
      newKey: 'La nouvelle clé',
      done: 'Terminé',
      list: 'Clés de ',
      end: 'Mettre fin à la clé ',
      sure: 'Mettre fin',
      ended: 'La clé a pris fin.',
    },
  },
} as const;

for (const lng of ['en', 'fr'] as const) {
  const words = WORDS[lng];

  test(`makes, renames and deletes a company account (${lng})`, async ({ signedIn: page }) => {
    const name = `Okimarket ${lng} ${Date.now()}`;
    const asked = page.waitForRequest((request) => /CompanyAccounts\?filter.*skip/.test(request.url()));
    await page.goto(`/company-account?lng=${lng}`);
    expect(JSON.parse(new URL((await asked).url()).searchParams.get('filter') ?? '').order).toBe(
      'totalViews DESC NULLS LAST',
    );
    await expect(page.getByRole('heading', { level: 1, name: words.title })).toBeVisible();
    await rowsShown(page);

    await page.getByRole('button', { name: words.create, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: words.create }).click();
    await expect(dialog.getByText(words.required)).toBeVisible();
    await dialog.getByRole('textbox', { name: words.name }).fill(name);
    await dialog.getByRole('button', { name: words.create }).click();
    await expect(page.getByText(words.created)).toBeVisible();
    await expect(page.getByRole('gridcell', { name, exact: true })).toBeVisible();

    await page.getByRole('button', { name: words.menu + name }).click();
    await page.getByRole('menuitem', { name: words.update }).click();
    await dialog.getByRole('textbox', { name: words.name }).fill(`${name} SA`);
    await dialog.getByRole('button', { name: words.update }).click();
    await expect(page.getByText(words.updated)).toBeVisible();
    await expect(page.getByRole('gridcell', { name: `${name} SA`, exact: true })).toBeVisible();

    await page.getByRole('button', { name: `${words.menu}${name} SA` }).click();
    await page.getByRole('menuitem', { name: words.delete }).click();
    await dialog.getByRole('button', { name: words.delete }).click();
    await expect(page.getByText(words.deleted)).toBeVisible();
    await expect(page.getByRole('gridcell', { name: `${name} SA`, exact: true })).toHaveCount(0);
  });

  test(`says why a company account with users cannot be deleted (${lng})`, async ({ signedIn: page }) => {
    await page.goto(`/company-account?lng=${lng}`);
    await rowsShown(page);
    await page.getByRole('button', { name: `${words.menu}Kestrel Retail` }).click();
    await page.getByRole('menuitem', { name: words.delete }).click();
    await page.getByRole('dialog').getByRole('button', { name: words.delete }).click();
    await expect(page.getByText(words.inUse)).toBeVisible();
  });
}

for (const lng of ['en', 'fr'] as const) {
  const words = WORDS[lng];

  test(`tells errors of the server in the reader's words, and says nothing of a count that failed (${lng})`, async ({
    signedIn: page,
  }) => {
    const refuse = (status: number) => ({ status, json: { error: { statusCode: status, message: 'Internal' } } });
    await page.route(/CompanyAccounts\/count/, (route) => route.fulfill(refuse(500)));
    await page.goto(`/company-account?lng=${lng}`);
    await rowsShown(page);
    await expect(page.getByRole('alert')).toHaveCount(0);

    await page.route(/\/api\/CompanyAccounts$/, (route) => route.fulfill(refuse(403)));
    await page.getByRole('button', { name: words.create, exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: words.name }).fill('Okimarket');
    await dialog.getByRole('button', { name: words.create }).click();
    await expect(page.getByText(words.forbidden)).toBeVisible();

    await page.route(/CompanyAccounts\?filter/, (route) => route.fulfill(refuse(500)));
    await page.reload();
    await expect(page.getByText(words.failure).first()).toBeVisible();
    await expect(page.getByText('Internal')).toHaveCount(0);
  });
}

test('shows one company account when it is chosen', async ({ signedIn: page }) => {
  await page.goto('/company-account');
  await rowsShown(page);
  await page.getByRole('group', { name: 'Quick filters' }).getByRole('button', { name: 'Company account' }).click();
  await page.getByRole('combobox', { name: 'Company account' }).fill('Kestrel');
  await page.getByRole('option', { name: 'Kestrel Retail' }).click();
  await expect(page.getByRole('gridcell', { name: 'Brivault Group', exact: true })).toHaveCount(0);
  await expect(page.getByRole('gridcell', { name: 'Kestrel Retail', exact: true })).toBeVisible();
});

for (const { lng, width, company, brand, foreign } of [
  { lng: 'en', width: 1440, company: 'Brivault Group', brand: 'Brivault', foreign: 'Kestrel' },
  { lng: 'fr', width: 390, company: 'Kestrel Retail', brand: 'Kestrel', foreign: 'Brivault' },
] as const) {
  const words = WORDS[lng];

  test(`a key of a company account reads its brands, is ended, and is no user, in ${lng} at ${width} px`, async ({
    signedIn: page,
    playwright,
    baseURL,
  }) => {
    const name = `nightly report ${Date.now()}`;
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/company-account?lng=${lng}`);
    await page.getByRole('button', { name: words.menu + company }).click();
    await page.getByRole('menuitem', { name: words.key.keys }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(words.key.keyName).fill(name);
    await dialog.getByRole('button', { name: words.key.make }).click();
    const key = (await dialog.getByLabel(words.key.newKey).textContent()) ?? '';
    expect(key).toMatch(/^vigie_.{43}$/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.screenshot({ path: test.info().outputPath(`company-key-${lng}.png`) });

    // A program of its own, without the browser's cookies.
    const program = await playwright.request.newContext({
      ...(baseURL && { baseURL }),
      extraHTTPHeaders: { Authorization: `Bearer ${key}` },
    });
    const brands = await (await program.get('/api/brand')).text();
    expect(brands).toContain(brand);
    expect(brands).not.toContain(foreign);
    expect((await program.get('/api/keys')).status()).toBe(403);

    await dialog.getByRole('button', { name: words.key.done }).click();
    const row = dialog
      .getByRole('list', { name: words.key.list + company })
      .getByRole('listitem')
      .filter({ hasText: name });
    await expect(row).toContainText(key.slice(-4));
    await expect(dialog).not.toContainText(key);
    await row.getByRole('button', { name: words.key.end + name }).click();
    await page.getByRole('dialog').last().getByRole('button', { name: words.key.sure, exact: true }).click();
    await expect(page.getByText(words.key.ended)).toBeVisible();
    expect((await program.get('/api/brand')).status()).toBe(401);
    await program.dispose();

    const users = await page.request.get('/api/UserAccounts');
    expect(await users.text()).not.toContain('programs-of');
  });
}
