import type { Page } from '@playwright/test';
import { expect, test, VIEWS, WRITES } from './fixtures';

// One after the other: after an addition the list shows the newest terms, whoever added them.
test.describe.configure({ mode: 'default' });

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
    adds: 'What this adds',
    addsThree: '3 terms',
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
    adds: 'Ce que cela ajoute',
    addsThree: '3 mots-clés',
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

for (const { lng, width } of VIEWS) {
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
    const adds = dialog.getByRole('complementary', { name: words.adds });
    await expect(adds).toContainText(words.addsThree);
    await expect(adds.getByRole('status')).toContainText('Google');
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
  await expect(dialog.getByText('okimarket', { exact: true })).toBeVisible();
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
    // Terms that other tests add meanwhile leave the first page to this one.
    const filter = JSON.stringify({ type: 'contain', value: term });
    await page.goto(`/terms-management?${new URLSearchParams({ lng, term: filter })}`);
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

const MODALS = {
  en: {
    apply: 'Apply to 1 term',
    frequency: 'Frequency',
    auto: 'auto',
    rate: 'Search convert rate',
    range: 'From 1 to 100',
    options: 'Options',
    organic: 'Organic results',
    delay: 'Delay for organic results',
    month: '1 month',
    brand: 'Brand and type',
    brandField: 'Brand',
    type: 'Keyword type',
    multibrand: 'Multibrand',
    updated: 'Term updated',
    noBrand: 'No brand',
    nothingFound: 'no result',
    access: 'Customer access',
    companies: 'Company accounts',
    needCompany: 'You must select a company account',
    accessUpdated: 'Company account access updated.',
    activate: 'activate',
    overQuota: 'and will be refused.',
    refused: 'Nothing was changed',
    cancel: 'Cancel',
    trail: 'Trail',
  },
  fr: {
    apply: 'Appliquer à 1 mot-clé',
    frequency: 'Fréquence',
    auto: 'auto',
    rate: 'Taux de conversion des recherches',
    range: 'De 1 à 100',
    options: 'Options',
    organic: 'Résultats naturels',
    delay: 'Délai des résultats naturels',
    month: '1 mois',
    brand: 'Marque et type',
    brandField: 'Marque',
    type: 'Type de mot-clé',
    multibrand: 'Multimarque',
    updated: 'Mot-clé mis à jour',
    noBrand: 'Aucune marque',
    nothingFound: 'aucun résultat',
    access: 'Accès clients',
    companies: 'Comptes client',
    needCompany: 'Vous devez sélectionner un compte client',
    accessUpdated: 'Accès des comptes client mis à jour.',
    activate: 'activer',
    overQuota: 'et sera refusé.',
    refused: "Rien n'a été modifié",
    cancel: 'Annuler',
    trail: 'Historique',
  },
} as const;

for (const { lng, width } of VIEWS)
  test(`changes a term in each modal, with wrong input first (${lng}, ${width} px)`, async ({ signedIn: page }) => {
    const words = { ...WORDS[lng], ...MODALS[lng] };
    await page.setViewportSize({ width, height: 900 });
    const term = `zephyr modal ${lng} ${width} ${Date.now()}`;
    const account = `Zephyr ${lng} ${width} ${Date.now()}`;
    const places = await page.request.get('/api/Localizations?filter={"where":{"locale":"fr_FR"},"limit":1}');
    const [{ id: localizationId }] = await places.json();
    const made = await page.request.post('/api/Terms', {
      ...WRITES,
      data: { term, localizationId, engine: 'GOOGLE', every: 86_400_000, state: 'disabled', brandId: null },
    });
    const { id } = await made.json();
    const company = await page.request.post('/api/CompanyAccounts', {
      ...WRITES,
      data: { label: account, name: account.toLowerCase().replaceAll(' ', '-'), captureQuota: 1 },
    });
    expect(company.ok()).toBe(true);
    const stored = async () => (await page.request.get(`/api/Terms/${id}`)).json();
    const changes: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH' && request.url().includes('/api/Terms/')) changes.push(request.url());
    });

    const filter = JSON.stringify({ type: 'contain', value: term });
    await page.goto(`/terms-management?${new URLSearchParams({ lng, term: filter })}`);
    const dialog = page.getByRole('dialog');
    const apply = dialog.getByRole('button', { name: words.apply });
    const open = async (item: string) => {
      await page.getByRole('button', { name: `${words.menu}${term}` }).click();
      await page.getByRole('menuitem', { name: item, exact: true }).click();
      await expect(dialog).toContainText(term);
    };
    const gone = () => expect(dialog).toHaveCount(0);

    await open(words.frequency);
    await dialog.getByRole('radio', { name: words.auto }).check();
    await dialog.getByRole('textbox', { name: words.rate }).fill('0');
    await apply.click();
    await expect(dialog).toContainText(words.range);
    expect(changes).toEqual([]);
    await dialog.getByRole('textbox', { name: words.rate }).fill('20');
    await apply.click();
    await gone();
    expect(await stored()).toMatchObject({ every: 0, searchConvertRate: 0.2 });

    await open(words.options);
    await expect(dialog.getByRole('combobox', { name: words.delay })).toBeDisabled();
    await dialog.getByRole('checkbox', { name: words.organic }).check();
    await dialog.getByRole('combobox', { name: words.delay }).click();
    await page.getByRole('option', { name: words.month }).click();
    await apply.click();
    await gone();
    expect((await stored()).options).toMatchObject({
      saveOrganicResults: true,
      delayForOrganicResults: 2_635_200_000,
    });

    await open(words.brand);
    const brand = dialog.getByRole('combobox', { name: words.brandField, exact: true });
    await brand.fill('okim');
    await page.getByRole('option', { name: 'Okimarket', exact: true }).click();
    await dialog.getByRole('combobox', { name: words.type }).click();
    await page.getByRole('option', { name: words.multibrand }).click();
    await apply.click();
    await expect(page.getByText(words.updated)).toBeVisible();
    await gone();
    expect((await stored()).keywordType).toBe('MULTIBRAND');
    expect((await stored()).brandId).toEqual(expect.any(Number));
    await open(words.brand);
    const before = changes.length;
    await brand.fill(words.noBrand);
    await page.getByRole('option', { name: words.noBrand }).click();
    await apply.click();
    await gone();
    expect(changes).toHaveLength(before + 1);
    expect((await stored()).brandId).toBeNull();

    await open(words.access);
    await apply.click();
    await expect(page.getByText(words.needCompany)).toBeVisible();
    await dialog.getByRole('combobox', { name: words.companies }).fill('nobody is called so');
    await expect(page.getByText(words.nothingFound)).toBeVisible();
    await dialog.getByRole('combobox', { name: words.companies }).fill(account);
    await page.getByRole('option', { name: account }).click();
    await page.keyboard.press('Escape');
    await apply.click();
    await expect(page.getByText(words.accessUpdated)).toBeVisible();
    await gone();

    // More captures than the account may plan: said before, and refused.
    if (width === 390) await page.getByRole('checkbox', { name: term }).check();
    else await page.getByRole('row', { name: term }).getByRole('checkbox').check();
    await page.getByRole('toolbar').getByRole('button', { name: words.activate, exact: true }).click();
    await expect(dialog.getByRole('status')).toContainText(account);
    await expect(dialog.getByRole('status')).toContainText(words.overQuota);
    await apply.click();
    await expect(page.getByRole('alert').filter({ hasText: words.refused })).toBeVisible();
    await dialog.getByRole('button', { name: words.cancel }).click();
    await gone();
    expect((await stored()).state).toBe('disabled');

    await open(words.trail);
    await expect(dialog.getByText(account).first()).toBeVisible();
    await page.keyboard.press('Escape');
    await gone();
    await open(words.delete);
    await dialog.getByRole('button', { name: words.cancel }).click();
    await gone();
    expect((await stored()).id).toBe(id);
    await page.request.delete(`/api/Terms/${id}`, WRITES);
  });
