import type { Page } from '@playwright/test';
import { expect, test, WRITES } from './fixtures';

const WORDS = {
  en: {
    title: 'Setting terms',
    add: 'Add terms',
    keywords: 'Keywords',
    needKeyword: 'You need at least one keyword.',
    needLocalization: 'You need to choice a localization.',
    overseas: ['reunion', 'Saint-Denis, Reunion (fr_FR)', 'Saint-Denis, Ile-de-France (fr_FR)'],
    needFrequency: 'You need to choice a daily requests.',
    localization: 'Localization',
    frequency: 'Daily requests',
    day: 'every day',
    submit: 'Add 3 terms',
    created: '3 terms added',
    allThere: 'All of these are tracked already, on this engine and in this place.',
    menu: 'What to do with ',
    disable: 'desactivate',
    disabled: 'disabled',
    updateDone: 'Update done.',
    delete: 'Delete',
    deletedOne: 'term deleted',
    deletedMany: 'terms deleted',
  },
  fr: {
    title: 'Paramétrage des mots-clés',
    add: 'Ajouter des mots-clés',
    keywords: 'Mots-clés',
    needKeyword: 'Vous devez saisir au moins un mot-clé.',
    needLocalization: 'Vous devez choisir une localisation.',
    overseas: ['la reunion', 'Saint-Denis, La Réunion (fr_FR)', 'Saint-Denis, Île-de-France (fr_FR)'],
    needFrequency: 'Vous devez choisir une fréquence.',
    localization: 'Localisation',
    frequency: 'Fréquence',
    day: 'tous les jours',
    submit: 'Ajouter 3 mots-clés',
    created: '3 mots-clés ajoutés',
    allThere: 'Tous sont déjà suivis, sur ce moteur et à cet endroit.',
    menu: 'Que faire de ',
    disable: 'désactiver',
    disabled: 'désactivé',
    updateDone: 'Mise à jour effectuée.',
    delete: 'Supprimer',
    deletedOne: 'mot-clé supprimé',
    deletedMany: 'mots-clés supprimés',
  },
} as const;

/** How often the pages of terms were asked for since. */
function countLists(page: Page): () => number {
  let lists = 0;
  page.on('request', (request) => {
    if (request.method() === 'GET' && /\/api\/Terms\?filter/.test(request.url())) lists += 1;
  });
  return () => lists;
}

for (const lng of ['en', 'fr'] as const)
  for (const width of [390, 1440] as const) {
    const words = WORDS[lng];

    test(`adds, pauses and deletes terms (${lng}, ${width} px)`, async ({ signedIn: page }) => {
      await page.setViewportSize({ width, height: 900 });
      const stem = `okimarket ${lng} ${width} ${Date.now()}`;
      const asked = page.waitForRequest((request) => /\/api\/Terms\?filter.*include/.test(request.url()));
      await page.goto(`/terms-management?lng=${lng}`);
      const filter = JSON.parse(new URL((await asked).url()).searchParams.get('filter') ?? '');
      expect(filter).toMatchObject({
        limit: 25,
        skip: 0,
        include: ['brand', 'localization', 'categories', 'canBeAccessBy'],
      });
      await expect(page.getByRole('heading', { level: 1, name: words.title })).toBeVisible();

      await page.getByRole('button', { name: words.add }).click();
      const dialog = page.getByRole('dialog', { name: words.add });
      const keywords = dialog.getByRole('combobox', { name: words.keywords });
      await keywords.focus();
      await dialog.getByRole('combobox', { name: words.localization }).focus();
      await expect(dialog.getByText(words.needKeyword)).toBeVisible();
      await keywords.focus();
      await expect(dialog.getByText(words.needLocalization)).toBeVisible();
      await keywords.fill(`${stem} a; ${stem} b|${stem} A,, ${stem} c `);
      await keywords.press('Enter');
      await expect(dialog.getByText(`${stem} c`)).toBeVisible();
      const submit = dialog.getByRole('button', { name: words.submit });
      await expect(submit).toBeDisabled();
      const [text, overseas, mainland] = words.overseas;
      const place = dialog.getByRole('combobox', { name: words.localization });
      await place.fill('saint-denis');
      await expect(page.getByRole('option', { name: mainland })).toBeVisible();
      await expect(page.getByRole('option', { name: overseas })).toBeVisible();
      await place.fill(text);
      await expect(page.getByRole('option', { name: mainland })).toBeHidden();
      await expect(page.getByRole('option', { name: overseas })).toBeVisible();
      await place.fill('fr_FR');
      await page.getByRole('option', { name: /^Paris, .*\(fr_FR\)$/ }).click();
      await submit.click();
      await expect(dialog.getByText(words.needFrequency)).toBeVisible();
      await dialog.getByRole('combobox', { name: words.frequency }).click();
      await page.getByRole('option', { name: words.day }).click();
      const sent = page.waitForRequest((request) => request.method() === 'POST' && /\/api\/Terms$/.test(request.url()));
      await submit.click();
      expect((await sent).postDataJSON()[0]).toMatchObject({
        term: `${stem} a`,
        engine: 'GOOGLE',
        every: 86_400_000,
        searchConvertRate: 0.05,
        state: 'enabled',
        options: { disableSaveAds: false, delayForOrganicResults: 1_296_000_000 },
        canBeAccessBy: [],
        categories: [],
      });
      await expect(page.getByText(words.created)).toBeVisible();
      await expect(page).toHaveURL(/perPage=3/);
      const menus = page.getByRole('button', { name: words.menu });
      await expect(menus).toHaveCount(3);

      // A single change shows without another request.
      const lists = countLists(page);
      await page.getByRole('button', { name: `${words.menu}${stem} a` }).click();
      await page.getByRole('menuitem', { name: words.disable }).click();
      await expect(page.getByText(words.updateDone)).toBeVisible();
      await expect(page.getByText(words.disabled, { exact: true })).toBeVisible();
      await page.getByRole('button', { name: `${words.menu}${stem} a` }).click();
      await expect(page.getByRole('menuitem', { name: words.disable })).toHaveCount(0);
      await page.getByRole('menuitem', { name: words.delete }).click();
      await page.getByRole('dialog').getByRole('button', { name: words.delete }).click();
      await expect(page.getByText(words.deletedOne, { exact: true })).toBeVisible();
      await expect(menus).toHaveCount(2);
      expect(lists()).toBe(0);

      // Several are loaded again.
      for (const term of [`${stem} b`, `${stem} c`]) {
        if (width === 390) await page.getByRole('checkbox', { name: term }).check();
        else await page.getByRole('row', { name: term }).getByRole('checkbox').check();
      }
      await page.getByRole('toolbar').getByRole('button', { name: words.delete }).click();
      await page.getByRole('dialog').getByRole('button', { name: words.delete }).click();
      await expect(page.getByText(words.deletedMany, { exact: true })).toBeVisible();
      await expect(page.getByText(`${stem} b`)).toHaveCount(0);
      expect(lists()).toBeGreaterThan(0);
    });
  }

test('says that terms are there already, and keeps what was entered', async ({ signedIn: page }) => {
  await page.route(/\/api\/Terms$/, (route) =>
    route.fulfill({ status: 409, json: { error: { statusCode: 409, message: 'There is such a Term already.' } } }),
  );
  await page.goto('/terms-management');
  await page.getByRole('button', { name: WORDS.en.add }).click();
  const dialog = page.getByRole('dialog', { name: WORDS.en.add });
  await dialog.getByRole('combobox', { name: 'Keywords' }).fill('okimarket');
  await dialog.getByRole('combobox', { name: 'Localization' }).fill('pt_PT');
  await page.getByRole('option', { name: 'Lisbon (pt_PT)' }).click();
  await expect(dialog.getByRole('combobox', { name: 'Region' })).toBeVisible();
  await dialog.getByRole('combobox', { name: 'Engine' }).click();
  await page.getByRole('option', { name: 'Bing' }).click();
  await expect(dialog.getByRole('combobox', { name: 'Region' })).toHaveCount(0);
  await dialog.getByRole('combobox', { name: 'Daily requests' }).click();
  await page.getByRole('option', { name: 'auto' }).click();
  await dialog.getByRole('textbox', { name: 'Search convert rate' }).fill('12a34');
  await expect(dialog.getByRole('textbox', { name: 'Search convert rate' })).toHaveValue('123');
  await expect(dialog.getByText('From 1 to 100')).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Search convert rate' }).fill('10');
  await dialog.getByRole('button', { name: 'Add 1 term' }).click();
  await expect(dialog.getByText(WORDS.en.allThere)).toBeVisible();
  await expect(dialog.getByText('okimarket')).toBeVisible();
});

for (const width of [390, 1440] as const) {
  test(`changes and deletes a whole list of several pages (${width} px)`, async ({ signedIn: page }) => {
    await page.setViewportSize({ width, height: 900 });
    const stem = `okimarket whole ${width} ${Date.now()}`;
    const places = await page.request.get('/api/Localizations?filter={"limit":1}');
    const [{ id: localizationId }] = await places.json();
    const shared = { localizationId, engine: 'GOOGLE', every: 86_400_000, devices: ['DESKTOP'], state: 'disabled' };
    const data = Array.from({ length: 26 }, (_, index) => ({ term: `${stem} ${index}`, ...shared }));
    const made = await page.request.post('/api/Terms', { ...WRITES, data });
    expect(made.ok()).toBe(true);

    const term = JSON.stringify({ type: 'contain', value: stem });
    await page.goto(`/terms-management?${new URLSearchParams({ term })}`);
    await page
      .getByRole('checkbox', { name: /select(?:ion of)? all/i })
      .first()
      .check();
    const bar = page.getByRole('toolbar');
    await bar.getByRole('button', { name: 'Select all 26 terms of this list' }).click();
    await expect(bar).toContainText('All 26 rows selected');
    await bar.getByRole('button', { name: 'archive' }).click();
    const dialog = page.getByRole('dialog');
    await expect(dialog).toContainText('Archive 26 terms?');
    await expect(dialog.getByRole('status')).toContainText('As many captures as now');
    await dialog.getByRole('button', { name: 'Apply to 26 terms' }).click();
    await expect(page.getByText('Update done.')).toBeVisible();
    await expect(page.getByText('archived', { exact: true })).toHaveCount(width === 390 ? 25 : await rowsDrawn(page));

    await page
      .getByRole('checkbox', { name: /select(?:ion of)? all/i })
      .first()
      .check();
    await bar.getByRole('button', { name: 'Select all 26 terms of this list' }).click();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await expect(dialog).toContainText('Delete 26 terms?');
    await expect(dialog.getByRole('button', { name: 'Delete' })).toBeDisabled();
    await dialog.getByRole('checkbox', { name: 'Yes, delete all 26 terms of the list' }).check();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect(page.getByText('terms deleted', { exact: true })).toBeVisible();
    await expect(page.getByText('No result found')).toBeVisible();
  });
}

/** The rows that the table has drawn: it draws those in sight. */
const rowsDrawn = (page: Page): Promise<number> => page.getByRole('button', { name: /^What to do with/ }).count();

for (const [lng, width] of [
  ['en', 1440],
  ['fr', 390],
] as const)
  test(`reads search volumes of new terms on auto, and runs one now (${lng}, ${width} px)`, async ({
    signedIn: page,
  }) => {
    const words = {
      en: { auto: 'auto', add: 'Add 1 term', done: 'Synchronization done.', run: 'Run now' },
      fr: {
        auto: 'auto',
        add: 'Ajouter 1 mot-clé',
        done: 'Synchronisation terminée.',
        run: 'Relever maintenant',
      },
    }[lng];
    await page.setViewportSize({ width, height: 900 });
    const term = `okimarket volume ${lng} ${Date.now()}`;
    await page.goto(`/terms-management?lng=${lng}`);
    await page.getByRole('button', { name: WORDS[lng].add }).click();
    const dialog = page.getByRole('dialog', { name: WORDS[lng].add });
    await dialog.getByRole('combobox', { name: WORDS[lng].keywords }).fill(term);
    await dialog.getByRole('combobox', { name: WORDS[lng].localization }).fill('fr_FR');
    await page.getByRole('option', { name: /^Paris, .*\(fr_FR\)$/ }).click();
    await dialog.getByRole('combobox', { name: WORDS[lng].frequency }).click();
    await page.getByRole('option', { name: words.auto }).click();
    const sent = page.waitForRequest(/\/api\/Terms\/fetchSearchStats/);
    await dialog.getByRole('button', { name: words.add }).click();
    expect((await sent).postDataJSON()).toMatchObject({ searchConvertRate: 0.05 });
    await expect(page.getByText(words.done)).toBeVisible({ timeout: 15_000 });
    await page.getByRole('button', { name: `${WORDS[lng].menu}${term}` }).click();
    const started = page.waitForResponse(/\/api\/Terms\/runNow/);
    await page.getByRole('menuitem', { name: words.run }).click();
    expect((await started).status()).toBe(200);
    await page.getByRole('button', { name: `${WORDS[lng].menu}${term}` }).click();
    await page.getByRole('menuitem', { name: WORDS[lng].delete }).click();
    await page.getByRole('dialog').getByRole('button', { name: WORDS[lng].delete }).click();
    await expect(page.getByText(WORDS[lng].deletedOne, { exact: true })).toBeVisible();
  });
