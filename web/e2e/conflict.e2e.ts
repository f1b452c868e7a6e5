import type { APIRequestContext, Browser, Page } from '@playwright/test';
import { expect, test, VIEWS, WRITES } from './fixtures';
import { makeUser } from './mails';

const OWN_PASSWORD = 'Vigie!first-1';

const WORDS = {
  en: {
    label: 'label',
    autoMatch: 'auto match',
    save: 'Save',
    updated: 'brand updated',
    conflict: 'Changed by somebody else',
    brand: 'Somebody else has changed a brand since it was shown to you.',
    terms: 'Somebody else has changed 2 terms since they were shown to you.',
    difference: (before: string, after: string) => `${before} → becomes${after}`,
    keep: 'Keep theirs',
    overwrite: 'Overwrite',
    all: 'Select all rows of this page',
    whole: 'Select all 3 terms of this list',
    activate: 'activate',
    apply: (count: number) => `Apply to ${count} terms`,
    done: 'Update done.',
  },
  fr: {
    label: 'libellé',
    autoMatch: 'auto match',
    save: 'Enregistrer',
    updated: 'marque mise à jour',
    conflict: "Modifié par quelqu'un d'autre",
    brand: "Quelqu'un d'autre a modifié une marque depuis que vous l'avez affichée.",
    terms: "Quelqu'un d'autre a modifié 2 mots-clés depuis que vous les avez affichés.",
    difference: (before: string, after: string) => `${before} → devient${after}`,
    keep: 'Garder leur version',
    overwrite: 'Écraser',
    all: 'Sélectionner toutes les lignes de cette page',
    whole: 'Sélectionner les 3 mots-clés de cette liste',
    activate: 'activer',
    apply: (count: number) => `Appliquer à ${count} mots-clés`,
    done: 'Mise à jour effectuée.',
  },
} as const;

const headers = WRITES.headers;

/** Requests of another administrator, Ann Archer, in a session of her own. */
async function otherAdministrator(first: Page, browser: Browser): Promise<APIRequestContext> {
  const email = `other-${Date.now()}-${Math.random().toString(36).slice(2)}@vigie.example`;
  await makeUser(first, email, OWN_PASSWORD);
  const one = async (path: string, where: object) => {
    const filter = encodeURIComponent(JSON.stringify({ where }));
    return (await (await first.request.get(`/api/${path}/findOne?filter=${filter}`)).json()).id as number;
  };
  const [user, role] = [await one('UserAccounts', { email }), await one('Roles', { name: 'admin' })];
  const linked = await first.request.put(`/api/UserAccounts/${user}/roles/rel/${role}`, { headers });
  expect(linked.status(), await linked.text()).toBe(200);
  const { request } = await browser.newContext({ baseURL: process.env.VIGIE_URL ?? '' });
  const signedIn = await request.post('/api/UserAccounts/login', { headers, data: { email, password: OWN_PASSWORD } });
  expect(signedIn.status(), await signedIn.text()).toBe(200);
  return request;
}

async function make(page: Page, path: string, data: object): Promise<number> {
  const made = await page.request.post(`/api/${path}`, { headers, data });
  expect(made.status(), await made.text()).toBe(200);
  return (await made.json()).id;
}

async function change(by: APIRequestContext, path: string, data: object): Promise<void> {
  const changed = await by.patch(`/api/${path}`, { headers, data });
  expect(changed.status(), await changed.text()).toBe(200);
}

for (const { lng, width } of VIEWS) {
  const words = WORDS[lng];

  test(`a brand form overwrites nothing unseen (${lng}, ${width} px)`, async ({ signedIn: page, browser }) => {
    await page.setViewportSize({ width, height: 900 });
    const other = await otherAdministrator(page, browser);
    const label = `Conflict ${lng} ${width} ${Date.now()}`;
    const brand = await make(page, 'Brands', { label });
    const only = encodeURIComponent(JSON.stringify({ type: 'inq', value: [brand] }));
    await page.goto(`/brands?lng=${lng}&id=${only}`);
    const form = page.getByRole('dialog').filter({ has: page.getByRole('textbox', { name: words.autoMatch }) });
    const conflict = page.getByRole('dialog', { name: words.conflict });
    const field = form.getByRole('textbox', { name: words.label });
    const open = (name: string) => page.getByRole('button', { name, exact: true }).click();

    await open(label);
    await expect(field).toHaveValue(label);
    await change(other, `Brands/${brand}`, { label: `${label} theirs` });
    await field.fill(`${label} mine`);
    await form.getByRole('button', { name: words.save }).click();
    await expect(conflict).toContainText(words.brand);
    await expect(conflict).toContainText('Ann Archer');
    await expect(conflict).toContainText(words.difference(label, `${label} theirs`));
    await conflict.getByRole('button', { name: words.keep }).click();
    await expect(form).toHaveCount(0);
    await expect(page.getByRole('button', { name: `${label} theirs`, exact: true })).toBeVisible();

    // Another field is nobody's loss.
    await open(`${label} theirs`);
    await change(other, `Brands/${brand}`, { autoMatchRegExp: 'conflict' });
    await field.fill(`${label} mine`);
    await form.getByRole('button', { name: words.save }).click();
    await expect(page.getByText(words.updated).first()).toBeVisible();
    await expect(form).toHaveCount(0);

    await open(`${label} mine`);
    await expect(field).toHaveValue(`${label} mine`);
    await change(other, `Brands/${brand}`, { label: `${label} again` });
    await field.fill(`${label} last`);
    await form.getByRole('button', { name: words.save }).click();
    await conflict.getByRole('button', { name: words.overwrite }).click();
    await expect(form).toHaveCount(0);
    await expect(page.getByRole('button', { name: `${label} last`, exact: true })).toBeVisible();
    const stored = await (await page.request.get(`/api/Brands/${brand}`)).json();
    expect(stored).toMatchObject({ label: `${label} last`, autoMatchRegExp: 'conflict' });
    await page.request.delete(`/api/Brands/${brand}`, { headers });
  });

  test(`the bulk bar overwrites nothing unseen (${lng}, ${width} px)`, async ({ signedIn: page, browser }) => {
    await page.setViewportSize({ width, height: 900 });
    const other = await otherAdministrator(page, browser);
    const stem = `conflict ${lng} ${width} ${Date.now()}`;
    const terms: number[] = [];
    for (const letter of ['a', 'b', 'c'])
      terms.push(await make(page, 'Terms', { term: `${stem} ${letter}`, state: 'disabled' }));
    const states = async () => {
      const rows = await Promise.all(terms.map(async (id) => (await page.request.get(`/api/Terms/${id}`)).json()));
      return rows.map(({ state }) => state);
    };
    const address = (perPage: number) => {
      const term = encodeURIComponent(JSON.stringify({ type: 'contain', value: stem }));
      return `/terms-management?lng=${lng}&perPage=${perPage}&term=${term}`;
    };
    const bar = page.getByRole('toolbar');
    const conflict = page.getByRole('dialog', { name: words.conflict });
    const activate = async (count: number) => {
      await bar.getByRole('button', { name: words.activate, exact: true }).click();
      await page.getByRole('button', { name: words.apply(count) }).click();
      await expect(conflict).toContainText(words.terms);
      await expect(conflict.getByRole('region')).toHaveCount(2);
      await expect(conflict.getByRole('region', { name: `${stem} b` })).toContainText('Ann Archer');
    };
    const select = () => page.getByRole('checkbox', { name: words.all }).first().check();
    const theyArchive = async () => {
      for (const id of terms.slice(0, 2)) await change(other, `Terms/${id}`, { state: 'archived' });
    };

    await page.goto(address(25));
    await expect(page.getByText(`${stem} a`).first()).toBeVisible();
    await select();
    await theyArchive();
    await activate(3);
    expect(await states()).toEqual(['archived', 'archived', 'disabled']);
    await conflict.getByRole('button', { name: words.keep }).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    expect(await states()).toEqual(['archived', 'archived', 'disabled']);

    // All terms of the list, some of them on another page.
    await page.goto(address(2));
    await expect(page.getByText(new RegExp(`${stem} [abc]`)).first()).toBeVisible();
    await select();
    await bar.getByRole('button', { name: words.whole }).click();
    for (const id of terms.slice(0, 2)) await change(other, `Terms/${id}`, { state: 'disabled' });
    await theyArchive();
    await activate(3);
    await conflict.getByRole('button', { name: words.overwrite }).click();
    await expect(page.getByText(words.done).first()).toBeVisible();
    expect(await states()).toEqual(['enabled', 'enabled', 'enabled']);
    for (const id of terms) await page.request.delete(`/api/Terms/${id}`, { headers });
  });
}
