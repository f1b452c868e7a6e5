import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expect, fillLogin, PASSWORD, rowsShown, test } from './fixtures';

/** A name no other run has used. */
const fresh = (what: string) => `${what}-${Date.now()}-${Math.floor(Math.random() * 1_000)}`;

/** What each language calls what these tests touch. */
const WORDS = {
  en: {
    title: 'Users',
    create: 'Create user',
    email: 'Email',
    firstName: 'First name',
    lastName: 'Last name',
    company: 'Company account',
    inFile: 'Company',
    roles: 'Roles',
    save: 'Save',
    created: 'User created',
    updated: 'User updated',
    deleted: 'User deleted',
    required: 'The email is required',
    invalid: 'The email is not valid',
    taken: 'This is already in use',
    password: 'Password',
    weak: 'At least 8 characters, with an uppercase, a lowercase, a digit and one of @ $ ! % * ? &',
    menu: 'What to do with ',
    delete: 'Delete user',
    cancel: 'Cancel',
    search: 'Search in this page',
  },
  fr: {
    title: 'Utilisateurs',
    create: 'Créer un utilisateur',
    email: 'E-mail',
    firstName: 'Prénom',
    lastName: 'Nom',
    company: 'Compte client',
    inFile: 'Compte client',
    roles: 'Rôles',
    save: 'Enregistrer',
    created: 'Utilisateur créé',
    updated: 'Utilisateur mis à jour',
    deleted: 'Utilisateur supprimé',
    required: "L'e-mail est obligatoire",
    invalid: "L'e-mail n'est pas valide",
    taken: 'Cette valeur est déjà utilisée',
    password: 'Mot de passe',
    weak: 'Au moins 8 caractères, avec une majuscule, une minuscule, un chiffre et un caractère parmi @ $ ! % * ? &',
    menu: 'Que faire de ',
    delete: "Supprimer l'utilisateur",
    cancel: 'Annuler',
    search: 'Rechercher dans cette page',
  },
} as const;

/** A picture as a camera makes it: wider than high. */
async function picture(page: Page): Promise<{ name: string; mimeType: string; buffer: Buffer }> {
  const address = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    canvas.width = 640;
    canvas.height = 360;
    const context = canvas.getContext('2d');
    context?.fillRect(200, 80, 240, 200);
    return canvas.toDataURL('image/png');
  });
  return { name: 'me.png', mimeType: 'image/png', buffer: Buffer.from(address.split(',')[1] ?? '', 'base64') };
}

async function choose(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).fill(text);
  await page.getByRole('option', { name: text }).click();
  // The choices of a box that takes several stay open.
  await page.keyboard.press('Escape');
}

for (const lng of ['en', 'fr'] as const) {
  const words = WORDS[lng];

  test(`downloads the users that are filtered (${lng})`, async ({ signedIn: page }) => {
    await page.goto(`/users?lng=${lng}`);
    await rowsShown(page);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /CSV/ }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(/^users-\d{4}-\d\d-\d\d\.csv$/);
    const [titles, ...rows] = (await readFile(await file.path(), 'utf8')).split('\r\n');
    expect(titles).toBe(`\ufeff${[words.email, words.firstName, words.lastName, words.inFile].join(',')}`);
    expect(rows.some((row) => row.startsWith('admin@vigie.example,'))).toBe(true);
  });

  test(`makes, changes and deletes a user (${lng})`, async ({ signedIn: page }) => {
    const email = `${fresh('ann')}@brivault.example`;
    await page.goto(`/users?lng=${lng}`);
    await expect(page.getByRole('heading', { level: 1, name: words.title })).toBeVisible();
    await rowsShown(page);
    await page.getByRole('link', { name: words.create }).click();
    await expect(page).toHaveURL(/\/users\/create/);

    // Nothing is sent that cannot be right.
    const box = page.getByRole('textbox', { name: words.email, exact: true });
    await page.getByRole('button', { name: words.save }).click();
    await expect(page.getByText(words.required)).toBeVisible();
    await expect(box).toBeFocused();
    await box.fill('a b@c.d');
    await expect(page.getByText(words.invalid)).toBeVisible();
    await box.fill('admin@vigie.example');
    await expect(page.getByText(words.invalid)).toBeHidden();
    await page.getByRole('button', { name: words.save }).click();
    await expect(page.getByText(words.taken)).toBeVisible();

    const password = page.getByRole('textbox', { name: words.password, exact: true });
    const generated = await password.inputValue();
    await password.fill('easy');
    await expect(page.getByText(words.weak)).toBeVisible();
    await page.getByRole('button', { name: words.save }).click();
    await expect(password).toBeFocused();
    await password.fill(generated);
    await expect(page.getByText(words.weak)).toBeHidden();

    await box.fill(email);
    await page.getByRole('textbox', { name: words.firstName, exact: true }).fill('Ann');
    await choose(page, words.company, 'Brivault Group');
    await choose(page, words.roles, 'operator');
    await page.getByRole('button', { name: words.save }).click();
    await expect(page.getByText(words.created)).toBeVisible();
    await expect(page).toHaveURL(/\/users\/\d+/);
    await expect(page.getByRole('heading', { level: 1, name: 'Ann' })).toBeVisible();

    for (const [wrong, told] of [
      ['', words.required],
      ['ann@', words.invalid],
      ['admin@vigie.example', words.taken],
    ] as const) {
      await box.fill(wrong);
      await page.getByRole('button', { name: words.save }).click();
      await expect(page.getByText(told)).toBeVisible();
    }
    await box.fill(email);
    await page.getByRole('textbox', { name: words.lastName, exact: true }).fill('Durand');
    await page.getByRole('button', { name: words.save }).click();
    await expect(page.getByText(words.updated)).toBeVisible();
    await page.reload();
    await expect(page.getByRole('heading', { level: 1, name: 'Ann Durand' })).toBeVisible();
    await expect(page.getByRole('combobox', { name: words.company })).toHaveValue('Brivault Group');
    await expect(page.getByText('operator', { exact: true })).toBeVisible();

    await page.goto(`/users?lng=${lng}`);
    await rowsShown(page);
    await page.getByRole('searchbox', { name: words.search }).fill(email);
    await expect(page.getByRole('gridcell', { name: email, exact: true })).toHaveCount(1);
    const menu = page.getByRole('button', { name: `${words.menu}Ann Durand` });
    await expect(menu).toHaveCount(1);
    await menu.click();
    await page.getByRole('menuitem', { name: words.delete }).click();
    await page.getByRole('dialog').getByRole('button', { name: words.cancel }).click();
    await expect(page.getByRole('dialog')).toBeHidden();
    await menu.click();
    await page.getByRole('menuitem', { name: words.delete }).click();
    await page.getByRole('dialog').getByRole('button', { name: words.delete }).click();
    await expect(page.getByText(words.deleted)).toBeVisible();
    await expect(page.getByRole('gridcell', { name: email, exact: true })).toHaveCount(0);
  });
}

test('asks the server for what is filtered, sorted and paged', async ({ signedIn: page }) => {
  const asked = page.waitForRequest((request) => /UserAccounts\?filter/.test(request.url()));
  await page.goto('/users');
  const first = JSON.parse(new URL((await asked).url()).searchParams.get('filter') ?? '');
  expect(first).toEqual({ order: 'firstName DESC NULLS LAST', limit: 30, skip: 0, include: ['companyAccount'] });
  await rowsShown(page);
  await expect(page.getByRole('columnheader')).toContainText(
    ['Avatar', 'Email', 'First name', 'Last name', 'Company'],
    {
      useInnerText: true,
    },
  );

  await page.getByRole('group', { name: 'Quick filters' }).getByRole('button', { name: 'Email' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill('kestrel');
  await expect(page.getByRole('gridcell', { name: 'user@kestrel.example', exact: true })).toBeVisible();
  await expect(page.getByRole('gridcell', { name: 'admin@vigie.example' })).toHaveCount(0);
});

test('takes a picture, cuts a square and keeps 80 by 80', async ({ signedIn: page }) => {
  await page.goto('/users/create');
  await page.getByRole('textbox', { name: 'Email', exact: true }).fill(`${fresh('pic')}@brivault.example`);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose an image' }).click();
  await (await chooser).setFiles({ name: 'me.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
  await expect(page.getByText('This is not an image.')).toBeVisible();

  const again = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose an image' }).click();
  await (await again).setFiles(await picture(page));
  const dialog = page.getByRole('dialog', { name: 'Cut a square' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('img', { name: 'The picture that was chosen' })).toBeHidden();
  const third = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose an image' }).click();
  await (await third).setFiles(await picture(page));
  await dialog.getByRole('button', { name: 'Use this picture' }).click();
  await expect(page.getByRole('img', { name: 'The picture that was chosen' })).toBeVisible();

  const uploaded = page.waitForResponse((response) => response.url().endsWith('/api/Files/upload'));
  await page.getByRole('button', { name: 'Save' }).click();
  const { id } = await (await uploaded).json();
  await expect(page.getByText('User created')).toBeVisible();
  const size = await page.evaluate(async (file) => {
    const answer = await fetch(`/api/Files/${file}/get`);
    const bitmap = await createImageBitmap(await answer.blob());
    return [answer.headers.get('content-type'), bitmap.width, bitmap.height];
  }, id);
  expect(size).toEqual(['image/jpeg', 80, 80]);
});

test('names a user in the title and in the breadcrumb, and switches features', async ({ signedIn: page }) => {
  await page.goto('/users');
  await rowsShown(page);
  await page.getByRole('link', { name: 'user@kestrel.example' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Demo user Kestrel' })).toBeVisible();
  await expect(page).toHaveTitle('Vigie | Demo user Kestrel');
  await expect(page.getByRole('navigation', { name: 'Breadcrumb' })).toContainText('Demo user Kestrel');
  const feature = page.getByRole('switch', { name: 'Stop and Go dashboard' });
  for (const told of ['Feature turned on', 'Feature turned off']) {
    await feature.click();
    await expect(page.getByText(told)).toBeVisible();
  }
  await expect(feature).not.toBeChecked();
});

test('works as another user and comes back', async ({ signedIn: page, context }) => {
  const named = async () =>
    Object.fromEntries((await context.cookies()).map(({ name, value }) => [name, value] as const));
  const own = (await named()).access_token;
  await page.goto('/users');
  await rowsShown(page);
  await page.getByRole('button', { name: 'What to do with Demo user Kestrel' }).click();
  await page.getByRole('menuitem', { name: 'Switch user' }).click();

  const banner = page.getByRole('status').filter({ hasText: 'You are working as' });
  await expect(banner).toContainText('Kestrel');
  expect((await named()).admin_access_token).toBe(own);
  expect(await page.evaluate(() => document.cookie)).toBe('');
  await page.goto('/users');
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  expect(new URL(page.url()).pathname).toBe('/');
  await expect(page.getByRole('link', { name: 'Users' })).toHaveCount(0);

  await page.evaluate(() => localStorage.setItem('kept', 'for the other'));
  await page.getByRole('button', { name: 'Back to my profile' }).click();
  await expect(banner).toBeHidden();
  await expect(page.getByRole('button', { name: /^Account of / })).toContainText('(admin)');
  const after = await named();
  expect([after.access_token, after.admin_access_token]).toEqual([own, undefined]);
  expect(await page.evaluate(() => localStorage.getItem('kept'))).toBeNull();
});

test('keeps administration from those who do not administer', async ({ page }) => {
  await page.goto('/login');
  await fillLogin(page, 'user@kestrel.example', PASSWORD);
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Account of / })).toContainText('Kestrel');
  for (const path of ['/users', '/users/create', '/users/1', '/company-account']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
    expect(new URL(page.url()).pathname).toBe('/');
  }
});

test('sends an unknown user to /404', async ({ signedIn: page }) => {
  await page.goto('/users/999999');
  await expect(page).toHaveURL(/\/404/);
});

test('shows users as cards on a phone', async ({ signedIn: page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/users');
  const card = page.getByRole('article').filter({ hasText: 'user@kestrel.example' });
  await card.getByRole('button', { name: /^What to do with / }).click();
  await page.getByRole('menuitem', { name: 'Update user' }).click();
  await expect(page.getByRole('textbox', { name: 'Email', exact: true })).toHaveValue('user@kestrel.example');
});
