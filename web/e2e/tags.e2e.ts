import type { Page } from '@playwright/test';
import { expect, rowsShown, test } from './fixtures';

const WORDS = {
  en: {
    create: 'Create tag',
    submit: 'Create',
    name: 'Name',
    term: 'term',
    required: 'The name is required',
    summary: '1 errors found',
    taken: 'This brand already has a tag of this type with this name',
    parent: 'Parent',
    created: 'tag created',
    menu: 'What to do with ',
    update: 'update tag',
    save: 'Update',
    updated: 'tag updated',
    delete: 'delete tag',
    unused: 'It is used on nothing.',
    orphan: '1 tag below it loses its parent.',
    confirm: 'Delete',
    deleted: 'tag deleted',
    locked: /^Vigie itself relies on this tag/,
  },
  fr: {
    create: 'Créer un tag',
    submit: 'Créer',
    name: 'Nom',
    term: 'mot-clé',
    required: 'Le nom est obligatoire',
    summary: '1 erreurs trouvées',
    taken: 'Cette marque a déjà un tag de ce type et de ce nom',
    parent: 'Parent',
    created: 'tag créé',
    menu: 'Que faire de ',
    update: 'modifier le tag',
    save: 'Modifier',
    updated: 'tag mis à jour',
    delete: 'supprimer le tag',
    unused: "Il n'est utilisé nulle part.",
    orphan: '1 tag enfant perd son parent.',
    confirm: 'Supprimer',
    deleted: 'tag supprimé',
    locked: /^Vigie s'appuie sur ce tag/,
  },
} as const;

/** The row or card of a tag. */
const row = (page: Page, name: string) =>
  page.getByRole('main').locator('[role="row"], article').filter({ hasText: name });

for (const [lng, width] of [
  ['en', 1440],
  ['fr', 390],
] as const) {
  const words = WORDS[lng];

  test(`creates, changes and deletes tags (${lng}, ${width} px)`, async ({ signedIn: page }) => {
    await page.setViewportSize({ width, height: 900 });
    const [parent, child] = [`Saison ${lng} ${Date.now()}`, `Soldes ${lng} ${Date.now()}`];
    await page.goto(`/tags?lng=${lng}&page=1&perPage=500&order=label&direction=ASC`);
    await expect(page.getByRole('heading', { level: 1, name: 'Tags' })).toBeVisible();
    await expect(page).toHaveTitle('Vigie | Tags');
    const dialog = page.getByRole('dialog');

    await page.getByRole('button', { name: words.create }).click();
    await dialog.getByRole('button', { name: words.submit }).click();
    await expect(dialog.getByRole('alert')).toHaveText(`${words.summary}${words.required}`);
    await dialog.getByRole('textbox', { name: words.name }).fill(parent);
    await dialog.getByText(words.term, { exact: true }).click();
    await dialog.getByRole('button', { name: words.submit }).click();
    await expect(page.getByText(words.created)).toBeVisible();
    await expect(row(page, parent).first()).toBeVisible();

    await page.getByRole('button', { name: words.create }).click();
    await dialog.getByRole('textbox', { name: words.name }).fill(parent);
    await dialog.getByText(words.term, { exact: true }).click();
    await dialog.getByRole('button', { name: words.submit }).click();
    await expect(dialog.getByText(words.taken).first()).toBeVisible();
    await dialog.getByRole('textbox', { name: words.name }).fill(child);
    await dialog.getByRole('combobox', { name: words.parent }).fill(parent);
    await page.getByRole('option', { name: parent }).click();
    await dialog.getByRole('button', { name: words.submit }).click();
    await expect(row(page, child).filter({ hasText: parent })).toBeVisible();

    await page.getByRole('button', { name: `${words.menu}${child}` }).click();
    await page.getByRole('menuitem', { name: words.update }).click();
    await expect(dialog.getByRole('textbox', { name: words.name })).toHaveValue(child);
    await dialog.getByRole('textbox', { name: words.name }).fill(`${child} +`);
    await dialog.getByRole('button', { name: words.save }).click();
    await expect(page.getByText(words.updated)).toBeVisible();
    await expect(row(page, `${child} +`)).toBeVisible();

    for (const [tag, effect] of [
      [parent, words.orphan],
      [`${child} +`, words.unused],
    ] as const) {
      await page.getByRole('button', { name: `${words.menu}${tag}` }).click();
      await page.getByRole('menuitem', { name: words.delete }).click();
      await expect(dialog).toContainText(effect);
      await dialog.getByRole('button', { name: words.confirm }).click();
      await expect(dialog).toHaveCount(0);
      await expect(page.getByRole('button', { name: `${words.menu}${tag}` })).toHaveCount(0);
    }
    await expect(page.getByText(words.deleted).first()).toBeVisible();
  });
}

test('locks the tags of the product, and leads from a tag to the domains that have it', async ({ signedIn: page }) => {
  await page.goto('/tags?lng=en');
  await rowsShown(page);
  await expect(page.getByRole('img', { name: WORDS.en.locked }).first()).toBeVisible();
  await expect(page.getByRole('button', { name: /^What to do with Official/ })).toHaveCount(0);
  await page
    .getByRole('link', { name: /^\d+ domains?$/ })
    .first()
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Domains' })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Applied filters' })).toContainText('Dealer tags');
});

test('distinguishes tags of one name by their brand wherever they are chosen', async ({ signedIn: page }) => {
  await page.goto('/domains?lng=en');
  await rowsShown(page);
  await page.getByRole('button', { name: /^Filters/ }).click();
  await page.getByRole('combobox', { name: 'Dealer tags' }).fill('official');
  const options = page.getByRole('option', { name: /^Official/ });
  await expect(options.first()).toBeVisible();
  const names = await options.allTextContents();
  expect(names.length).toBeGreaterThan(1);
  expect(new Set(names).size).toBe(names.length);
});
