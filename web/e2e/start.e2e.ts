import type { Page } from '@playwright/test';
import { expect, test, WRITES } from './fixtures';

const WORDS = {
  en: {
    title: 'Guided start',
    done: (count: number) => `${count} of 5 steps done`,
    brand: 'Create the brand',
    label: 'label',
    required: 'The name is required',
    pattern: 'auto match',
    validated: /^validated/,
    save: 'Save',
    domains: (brand: string) => `Domains of ${brand}`,
    box: 'Domains',
    dropped: /^No domain name, left out: no domain/,
    terms: 'Add terms',
    keywords: 'Keywords',
    place: 'Localization',
    every: 'Daily requests',
    hour: 'every hour',
    cost: '+24 captures a day',
    submit: 'Add 1 term',
    found: '1 active term',
    offer: (company: string) => `Get ${company} started`,
    continue: 'Continue',
    notNow: 'Not now',
    user: 'Create a user',
    company: 'Company account',
  },
  fr: {
    title: 'Démarrage guidé',
    done: (count: number) => `Étapes terminées : ${count} sur 5`,
    brand: 'Créer la marque',
    label: 'libellé',
    required: 'Le nom est obligatoire',
    pattern: 'auto match',
    validated: /^validée/,
    save: 'Enregistrer',
    domains: (brand: string) => `Domaines : ${brand}`,
    box: 'Domaines',
    dropped: /^Pas un nom de domaine, écarté\s: no domain/,
    terms: 'Ajouter des mots-clés',
    keywords: 'Mots-clés',
    place: 'Localisation',
    every: 'Fréquence',
    hour: 'toutes les heures',
    cost: '+24 captures par jour',
    submit: 'Ajouter 1 mot-clé',
    found: '1 mot-clé actif',
    offer: (company: string) => `Démarrer ${company}`,
    continue: 'Continuer',
    notNow: 'Pas maintenant',
    user: 'Créer un utilisateur',
    company: 'Compte client',
  },
} as const;

/** Removes what a company has, and the company. */
async function removeAll(page: Page, company: number): Promise<void> {
  const filter = (where: object) => new URLSearchParams({ filter: JSON.stringify({ where, include: ['brands'] }) });
  const found = await page.request.get(`/api/CompanyAccounts?${filter({ id: company })}`);
  const where = new URLSearchParams({ where: JSON.stringify({ canBeAccessBy: { inq: [company] } }) });
  await page.request.delete(`/api/Terms?${where}`, WRITES);
  for (const { brands } of await found.json()) {
    for (const { id } of brands) await page.request.delete(`/api/Brands/${id}`, WRITES);
  }
  await page.request.delete(`/api/CompanyAccounts/${company}`, WRITES);
}

for (const [lng, width] of [
  ['en', 1440],
  ['fr', 390],
] as const) {
  const words = WORDS[lng];

  test(`leads a new company to its first terms (${lng}, ${width} px)`, async ({ signedIn: page }) => {
    await page.setViewportSize({ width, height: 900 });
    const name = `Startwerk ${lng} ${Date.now()}`;
    const made = await page.request.post('/api/CompanyAccounts', { ...WRITES, data: { name, label: name } });
    const { id } = await made.json();
    try {
      await page.goto(`/?lng=${lng}`);
      await expect(page.getByRole('heading', { name: words.offer(name) })).toBeVisible();
      await page.getByRole('link', { name: words.continue }).click();
      await expect(page.getByRole('heading', { level: 1, name: words.title })).toBeVisible();
      await expect(page.getByText(words.done(0))).toBeVisible();

      await page.getByRole('button', { name: words.brand }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: words.save }).click();
      await expect(dialog.getByText(words.required)).toBeVisible();
      await dialog.getByRole('textbox', { name: words.label }).fill(name);
      await dialog.getByRole('textbox', { name: words.pattern }).fill(name);
      await dialog.getByRole('switch', { name: words.validated }).click();
      await dialog.getByRole('button', { name: words.save }).click();
      await expect(page.getByText(words.done(1))).toBeVisible();

      await page.getByRole('button', { name: words.domains(name) }).click();
      await dialog.getByRole('combobox', { name: words.box }).fill(`no domain,startwerk-${id}.example,`);
      await dialog.getByRole('combobox', { name: words.box }).press('Enter');
      await expect(dialog.getByText(words.dropped)).toBeVisible();
      await dialog.getByRole('button', { name: words.save }).click();
      await expect(page.getByText(words.done(2))).toBeVisible();

      // Left and taken up again.
      await page.reload();
      await expect(page.getByText(words.done(2))).toBeVisible();
      await page.getByRole('button', { name: words.terms }).click();
      await dialog.getByRole('combobox', { name: words.keywords }).fill(name);
      await dialog.getByRole('combobox', { name: words.keywords }).press('Enter');
      await dialog.getByRole('combobox', { name: words.place }).fill('fr_FR');
      await page.getByRole('option', { name: /^Paris, .*\(fr_FR\)$/ }).click();
      await dialog.getByRole('combobox', { name: words.every }).click();
      await page.getByRole('option', { name: words.hour }).click();
      await expect(dialog.getByRole('status')).toContainText(words.cost);
      await dialog.getByRole('button', { name: words.submit }).click();
      await expect(page.getByText(words.found, { exact: true })).toBeVisible();
      await expect(page.getByText(words.done(3))).toBeVisible();

      await page.getByRole('link', { name: words.user }).click();
      await expect(page.getByRole('combobox', { name: words.company })).toHaveValue(name);
      await page.goBack();

      await page.getByRole('button', { name: words.notNow }).click();
      await expect(page.getByRole('button', { name: words.notNow })).toHaveCount(0);
      await page.goto(`/?lng=${lng}`);
      await expect(page.getByRole('table').first()).toBeVisible();
      await expect(page.getByRole('heading', { name: words.offer(name) })).toHaveCount(0);
    } finally {
      await removeAll(page, id);
    }
  });
}
