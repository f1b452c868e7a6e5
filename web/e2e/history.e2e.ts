import type { Page } from '@playwright/test';
import { expect, test, WRITES } from './fixtures';

const WORDS = {
  en: {
    menu: 'What to do with ',
    delete: 'Delete',
    brand: 'Delete brand',
    undo: 'Undo',
    undone: 'It is as it was before',
    deleted: 'Deleted',
    terms: 'Deleted terms',
    brands: 'Deleted brands',
    bringBack: 'Bring back 1',
    back: '1 brought back',
    exists: 'There is another of the same name or words by now.',
    trail: 'Trail',
    events: ['Brought back', 'Deleted', 'Brought back', 'Deleted', 'Created'],
    close: 'Close',
  },
  fr: {
    menu: 'Que faire de ',
    delete: 'Supprimer',
    brand: 'Supprimer la marque',
    undo: 'Annuler',
    undone: 'Tout est redevenu comme avant',
    deleted: 'Supprimés',
    terms: 'Mots-clés supprimés',
    brands: 'Marques supprimées',
    bringBack: 'Restaurer (1)',
    back: '1 restauration effectuée',
    exists: 'Il en existe entre-temps un autre du même nom ou avec les mêmes mots.',
    trail: 'Historique',
    events: ['Restauration', 'Suppression', 'Restauration', 'Suppression', 'Création'],
    close: 'Fermer',
  },
} as const;

/** Creates a row and returns its id. */
async function create(page: Page, path: string, data: object): Promise<number> {
  const made = await page.request.post(`/api/${path}`, { ...WRITES, data });
  expect(made.status()).toBe(200);
  return (await made.json()).id;
}

/** A list with one row. */
const listOf = (path: string, lng: string, filter: string, id: number) =>
  `/${path}?lng=${lng}&${filter}=${encodeURIComponent(JSON.stringify({ type: 'inq', value: [id] }))}`;

for (const [lng, width] of [
  ['en', 1440],
  ['fr', 390],
] as const) {
  const words = WORDS[lng];

  test(`deletes a term, undoes it, deletes it again and brings it back (${lng}, ${width} px)`, async ({
    signedIn: page,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    const name = `returning ${lng} ${Date.now()}`;
    const fields = { term: name, state: 'disabled', localizationId: 1 };
    const id = await create(page, 'Terms', fields);
    await page.goto(
      `/terms-management?lng=${lng}&term=${encodeURIComponent(JSON.stringify({ type: 'contain', value: name }))}`,
    );
    const menu = page.getByRole('button', { name: `${words.menu}${name}` });
    const remove = async () => {
      await menu.click();
      await page.getByRole('menuitem', { name: words.delete }).click();
      await page.getByRole('dialog').getByRole('button', { name: words.delete }).click();
      await expect(menu).toHaveCount(0);
    };
    await remove();
    await page.getByRole('region', { name: words.undo }).getByRole('button', { name: words.undo }).click();
    await expect(page.getByText(words.undone)).toBeVisible();
    await expect(menu).toBeVisible();

    await remove();
    const other = await create(page, 'Terms', fields);
    await page.getByRole('button', { name: words.deleted, exact: true }).click();
    const drawer = page.getByRole('dialog', { name: words.terms });
    await drawer.getByRole('checkbox', { name: name }).check();
    await drawer.getByRole('button', { name: words.bringBack }).click();
    await expect(page.getByText(words.exists)).toBeVisible();
    expect((await page.request.delete(`/api/Terms/${other}`, WRITES)).status()).toBe(200);
    await drawer.getByRole('button', { name: words.bringBack }).click();
    await expect(page.getByText(words.back)).toBeVisible();
    await drawer.getByRole('button', { name: words.close }).click();
    await expect(menu).toBeVisible();
    expect((await page.request.get(`/api/Terms/${id}`)).status()).toBe(200);

    await menu.click();
    await page.getByRole('menuitem', { name: words.trail }).click();
    const trail = page.getByRole('dialog', { name: name });
    await expect(trail.getByRole('heading', { level: 3 })).toHaveText([...words.events]);
    expect((await page.request.delete(`/api/Terms/${id}`, WRITES)).status()).toBe(200);
  });

  test(`brings a brand back with its tag (${lng}, ${width} px)`, async ({ signedIn: page }) => {
    await page.setViewportSize({ width, height: 900 });
    const label = `Revenant ${lng} ${Date.now()}`;
    const id = await create(page, 'Brands', { label });
    const tag = await create(page, 'Categories', { label: 'Soldes', scope: 'term', brandOwnerId: id });
    await page.goto(listOf('brands', lng, 'id', id));
    const menu = page.getByRole('button', { name: `${words.menu}${label}` });
    await menu.click();
    await page.getByRole('menuitem', { name: words.brand }).click();
    await page.getByRole('dialog').getByRole('button', { name: words.brand }).click();
    await expect(menu).toHaveCount(0);
    expect((await page.request.get(`/api/Categories/${tag}`)).status()).toBe(404);
    await page.getByRole('button', { name: words.deleted, exact: true }).click();
    const drawer = page.getByRole('dialog', { name: words.brands });
    await drawer.getByRole('checkbox', { name: label }).check();
    await drawer.getByRole('button', { name: words.bringBack }).click();
    await expect(page.getByText(words.back)).toBeVisible();
    expect((await page.request.get(`/api/Categories/${tag}`)).status()).toBe(200);
    await drawer.getByRole('button', { name: words.close }).click();
    await expect(menu).toBeVisible();
    expect((await page.request.delete(`/api/Brands/${id}`, WRITES)).status()).toBe(200);
  });
}
