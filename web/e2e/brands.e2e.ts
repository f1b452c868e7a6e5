import { expect, test, VIEWS, WRITES } from './fixtures';

const WORDS = {
  en: {
    title: 'Brands',
    create: 'Create a brand',
    label: 'label',
    required: 'The name is required',
    autoMatch: 'auto match',
    slashes: 'Enter the pattern without slashes around it',
    days: 'days before relaunch',
    range: 'A whole number from 1 to 365',
    save: 'Save',
    created: 'brand created',
    updated: 'brand updated',
    deleted: 'brand deleted',
    delete: 'Delete brand',
    menu: 'What to do with ',
    validated: (name: string) => `validated: ${name}`,
    on: 'Turn on',
    done: 'Update done.',
    domains: 'Official domains',
    box: 'Domains',
    dropped: 'No domain name, left out: foo bar',
    domainsDone: 'Domains updated',
    undo: /^Undo/,
    undone: 'It is as it was before',
    partners: 'Partners',
    addPartner: 'Add a partner',
    domain: 'Domain',
    noDomain: 'Enter a domain name',
    reseller: 'Reseller',
    partnerDone: 'Partner saved',
    remove: 'Remove',
    removed: 'Partner removed',
    trademarks: 'Trademarks',
    addMark: 'Add a mark',
    mark: 'Mark',
    office: 'Office',
    number: 'Number',
    owner: 'Owner',
    classes: 'Classes',
    countries: 'Countries',
    noClass: 'Enter numbers from 1 to 45',
    noCountry: 'Enter codes of two letters',
    needed: 'This field is required',
    markDone: 'Mark saved',
    registered: 'EUIPO no. 018',
    markRemoved: 'Mark removed',
    close: 'Close',
    search: 'Search in this page',
  },
  fr: {
    title: 'Marques',
    create: 'Créer une marque',
    label: 'libellé',
    required: 'Le nom est obligatoire',
    autoMatch: 'auto match',
    slashes: 'Saisissez le motif sans barres obliques autour',
    days: 'jours avant relance',
    range: 'Un nombre entier de 1 à 365',
    save: 'Enregistrer',
    created: 'marque créée',
    updated: 'marque mise à jour',
    deleted: 'marque supprimée',
    delete: 'Supprimer la marque',
    menu: 'Que faire de ',
    validated: (name: string) => `validée : ${name}`,
    on: 'Activer',
    done: 'Mise à jour effectuée.',
    domains: 'Domaines officiels',
    box: 'Domaines',
    dropped: 'Pas un nom de domaine, écarté : foo bar',
    domainsDone: 'Domaines mis à jour',
    undo: /^Annuler/,
    undone: 'Tout est redevenu comme avant',
    partners: 'Partenaires',
    addPartner: 'Ajouter un partenaire',
    domain: 'Domaine',
    noDomain: 'Saisissez un nom de domaine',
    reseller: 'Revendeur',
    partnerDone: 'Partenaire enregistré',
    remove: 'Retirer',
    removed: 'Partenaire retiré',
    trademarks: 'Marques déposées',
    addMark: 'Ajouter une marque',
    mark: 'Marque',
    office: 'Office',
    number: 'Numéro',
    owner: 'Titulaire',
    classes: 'Classes',
    countries: 'Pays',
    noClass: 'Saisissez des nombres de 1 à 45',
    noCountry: 'Saisissez des codes de deux lettres',
    needed: 'Ce champ est obligatoire',
    markDone: 'Marque enregistrée',
    registered: 'EUIPO n° 018',
    markRemoved: 'Marque retirée',
    close: 'Fermer',
    search: 'Chercher dans cette page',
  },
} as const;

for (const { lng, width } of VIEWS) {
  const words = WORDS[lng];

  test(`makes, changes and deletes a brand (${lng}, ${width} px)`, async ({ signedIn: page }) => {
    await page.setViewportSize({ width, height: 900 });
    const label = `Été Chic ${lng} ${width} ${Date.now()}`;
    const slug = `ete-chic-${label.split(' ').slice(2).join('-')}`;
    const asked = page.waitForRequest((request) => /\/api\/Brands\?filter/.test(request.url()));
    await page.goto(`/brands?lng=${lng}`);
    const filter = JSON.parse(new URL((await asked).url()).searchParams.get('filter') ?? '');
    expect(filter.order).toBe('totalViews DESC NULLS LAST');
    expect(filter.include).toContain('companyAccounts');
    await expect(page.getByRole('heading', { level: 1, name: words.title })).toBeVisible();

    await page.getByRole('button', { name: words.create }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: words.autoMatch }).fill('/chic/');
    await dialog.getByRole('textbox', { name: words.days }).fill('0');
    await dialog.getByRole('button', { name: words.save }).click();
    await expect(dialog.getByText(words.required)).toBeVisible();
    await expect(dialog.getByText(words.slashes)).toBeVisible();
    await expect(dialog.getByText(words.range)).toBeVisible();
    await dialog.getByRole('textbox', { name: words.label }).fill(label);
    await dialog.getByRole('textbox', { name: words.autoMatch }).fill('chic|été');
    await dialog.getByRole('textbox', { name: words.days }).fill('10');
    const made = page.waitForResponse((response) => /\/api\/Brands$/.test(response.url()));
    await dialog.getByRole('button', { name: words.save }).click();
    expect(await (await made).json()).toMatchObject({ name: slug, autoMatchRegExp: '\\b(?:chic|été)\\b' });
    await expect(page.getByText(words.created)).toBeVisible();

    await page.getByRole('switch', { name: words.validated(label) }).click();
    await dialog.getByRole('button', { name: words.on }).click();
    await expect(page.getByText(words.done)).toBeVisible();
    await expect(page.getByRole('switch', { name: words.validated(label) })).toBeChecked();

    await page.getByRole('button', { name: label, exact: true }).click();
    await expect(dialog.getByRole('textbox', { name: words.autoMatch })).toHaveValue('chic|été');
    await dialog.getByRole('textbox', { name: words.label }).fill(`${label} SA`);
    await dialog.getByRole('button', { name: words.save }).click();
    await expect(page.getByText(words.updated)).toBeVisible();

    const menu = page.getByRole('button', { name: `${words.menu}${label} SA` });
    await menu.click();
    await page.getByRole('menuitem', { name: words.domains }).click();
    await expect(dialog.getByRole('button', { name: words.save })).toBeDisabled();
    await dialog.getByRole('combobox', { name: words.box }).fill(`foo bar, ${slug}.example`);
    await dialog.getByRole('combobox', { name: words.box }).press('Enter');
    await expect(dialog.getByText(words.dropped)).toBeVisible();
    await dialog.getByRole('button', { name: words.save }).click();
    await expect(page.getByText(words.domainsDone)).toBeVisible();
    await page.getByRole('button', { name: words.undo }).click();
    await expect(page.getByText(words.undone)).toBeVisible();
    await menu.click();
    await page.getByRole('menuitem', { name: words.domains }).click();
    await expect(dialog.getByRole('combobox', { name: words.box })).toBeVisible();
    await expect(dialog.getByText(`${slug}.example`)).toHaveCount(0);
    await dialog.getByRole('button', { name: words.close }).click();

    await menu.click();
    await page.getByRole('menuitem', { name: words.partners }).click();
    await dialog.getByRole('button', { name: words.addPartner }).click();
    await dialog.getByRole('textbox', { name: words.domain }).fill('foo bar');
    await dialog.getByRole('button', { name: words.save }).click();
    await expect(dialog.getByText(words.noDomain)).toBeVisible();
    await dialog.getByRole('textbox', { name: words.domain }).fill(`partner-${slug}.example`);
    await dialog.getByRole('radio', { name: words.reseller }).check();
    await dialog.getByRole('button', { name: words.save }).click();
    await expect(page.getByText(words.partnerDone)).toBeVisible();
    const partner = dialog.getByRole('listitem').filter({ hasText: `partner-${slug}.example` });
    await expect(partner).toContainText(words.reseller);
    await partner.getByRole('button', { name: words.remove }).click();
    await page
      .getByRole('dialog', { name: `partner-${slug}.example` })
      .getByRole('button', { name: words.remove, exact: true })
      .click();
    await expect(page.getByText(words.removed)).toBeVisible();
    await expect(partner).toHaveCount(0);
    await dialog.getByRole('button', { name: words.close }).click();

    await menu.click();
    await page.getByRole('menuitem', { name: words.trademarks }).click();
    await dialog.getByRole('button', { name: words.addMark }).click();
    const field = (name: string) => dialog.getByRole('textbox', { name, exact: true });
    await dialog.getByRole('combobox', { name: words.classes }).fill('46');
    await dialog.getByRole('combobox', { name: words.classes }).press('Enter');
    await dialog.getByRole('combobox', { name: words.countries }).fill('France');
    await dialog.getByRole('combobox', { name: words.countries }).press('Enter');
    await dialog.getByRole('button', { name: words.save }).click();
    await expect(dialog.getByText(words.needed)).toHaveCount(4);
    await expect(dialog.getByText(words.noClass)).toBeVisible();
    await expect(dialog.getByText(words.noCountry)).toBeVisible();
    for (const list of [words.classes, words.countries]) {
      await dialog.getByRole('combobox', { name: list }).press('Backspace');
      await dialog.getByRole('combobox', { name: list }).fill(list === words.classes ? '25' : 'FR');
      await dialog.getByRole('combobox', { name: list }).press('Enter');
    }
    for (const [name, value] of [
      [words.mark, `Mark ${slug}`],
      [words.office, 'EUIPO'],
      [words.number, '018'],
      [words.owner, 'Chic SA'],
    ] as const)
      await field(name).fill(value);
    await dialog.getByRole('button', { name: words.save }).click();
    await expect(page.getByText(words.markDone)).toBeVisible();
    const mark = dialog.getByRole('listitem').filter({ hasText: `Mark ${slug}` });
    await expect(mark).toContainText(words.registered);
    await mark.getByRole('button', { name: words.remove }).click();
    await page
      .getByRole('dialog', { name: `Mark ${slug}` })
      .getByRole('button', { name: words.remove, exact: true })
      .click();
    await expect(page.getByText(words.markRemoved)).toBeVisible();
    await expect(mark).toHaveCount(0);
    await dialog.getByRole('button', { name: words.close }).click();

    await menu.click();
    await page.getByRole('menuitem', { name: words.delete }).click();
    await dialog.getByRole('button', { name: words.delete }).click();
    await expect(page.getByText(words.deleted)).toBeVisible();
    await expect(menu).toHaveCount(0);
  });
}

test('a brand with enabled terms is not offered to be deleted, and the server keeps it', async ({ signedIn: page }) => {
  await page.goto('/brands');
  await page.getByRole('button', { name: 'What to do with Maison Brivault' }).click();
  await expect(page.getByRole('menuitem', { name: 'Update brand' })).toBeVisible();
  await expect(page.getByRole('menuitem', { name: 'Delete brand' })).toHaveCount(0);
  const filter = encodeURIComponent(JSON.stringify({ where: { name: 'maison-brivault' } }));
  const { id } = await (await page.request.get(`/api/Brands/findOne?filter=${filter}`)).json();
  expect((await page.request.delete(`/api/Brands/${id}`, WRITES)).status()).toBe(409);
});

test('shows the brands that are not validated when asked to', async ({ signedIn: page }) => {
  await page.goto('/brands');
  const asked = page.waitForRequest((request) => /validated/.test(decodeURIComponent(request.url())));
  await page.getByRole('group', { name: 'Quick filters' }).getByRole('button', { name: 'State' }).click();
  await page.getByText('unvalidated').click();
  const filter = JSON.parse(new URL((await asked).url()).searchParams.get('filter') ?? '{}');
  expect(filter.where).toEqual({ and: [{ validated: { inq: ['false'] } }] });
});
