import type { Page } from '@playwright/test';
import { expect, fillLogin, test } from './fixtures';
import { linkOf, mailPage, mailsTo, mailTo, makeUser } from './mails';

const FIRST = 'Vigie!first-1';
const SECOND = 'Vigie-second-2';

/** An address of this test's own. */
let made = 0;
const ownAddress = () => `ann-${process.pid}-${Date.now()}-${made++}@brivault.example`;

async function openProfile(page: Page, name: RegExp, entry: string): Promise<void> {
  await page.getByRole('button', { name }).click();
  await page.getByRole('menuitem', { name: entry }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
}

test('a forgotten password is chosen anew with the link of a mail, once', async ({ signedIn: admin, visitor }) => {
  const email = ownAddress();
  await makeUser(admin, email, FIRST);
  const page = await visitor();
  await page.goto('/login');
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await expect(page).toHaveURL(/\/forgot$/);
  await page.getByRole('button', { name: 'Send me the link' }).click();
  await expect(page.getByText('The email is required')).toBeVisible();
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send me the link' }).click();
  const sent = 'An email allowing you to update your password has been sent to you!';
  await expect(page.getByRole('main').getByText(sent)).toBeVisible();
  await expect(page.getByRole('link', { name: 'Back to login' })).toBeVisible();

  const link = linkOf(await mailTo(page.request, email, 'Choose a new password'));
  await page.goto(link);
  const change = page.getByRole('button', { name: 'Change the password' });
  const rules = page.getByRole('list', { name: 'Rules of the password' });
  const password = page.getByRole('textbox', { name: 'New password', exact: true });
  const confirm = page.getByRole('textbox', { name: 'Confirm the new password' });
  await password.focus();
  await confirm.focus();
  await expect(page.getByText('The new password is required')).toBeVisible();
  await password.focus();
  await expect(page.getByText('The new password confirmation is required')).toBeVisible();
  await password.fill('Vigie-2');
  await expect(rules.getByRole('listitem').filter({ hasText: 'At least 10 characters' })).toContainText('not kept yet');
  await expect(rules.getByRole('listitem').filter({ hasNotText: 'not kept yet' })).toHaveCount(4);
  await expect(change).toBeDisabled();
  await password.fill(SECOND);
  await confirm.fill('Vigie-second-3');
  await expect(page.getByText('The passwords do not match')).toBeVisible();
  await expect(change).toBeDisabled();
  await confirm.fill(SECOND);
  await change.click();
  await expect(page.getByRole('main').getByText('Your password has been reset!')).toBeVisible();

  await page.getByRole('link', { name: 'Sign in' }).click();
  await fillLogin(page, email, FIRST);
  await expect(page.getByText('Unauthorized', { exact: true })).toBeVisible();
  await fillLogin(page, email, SECOND);
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await mailTo(page.request, email, 'Your password was changed');

  await page.goto(link);
  await password.fill(SECOND);
  await confirm.fill(SECOND);
  await change.click();
  await expect(page.getByRole('main').getByText('Your token has expired.')).toBeVisible();
  await expect(page.getByText('Unauthorized', { exact: true })).toBeVisible();
});

test('the same in French, in the language the visitor reads', async ({ signedIn: admin, visitor }) => {
  const email = ownAddress();
  await makeUser(admin, email, FIRST);
  const page = await visitor('fr-FR');
  await page.goto('/forgot');
  await page.getByLabel('E-mail').fill(email);
  await page.getByRole('button', { name: 'Recevoir le lien' }).click();
  const sent = 'Un e-mail vous permettant de modifier votre mot de passe vous a été envoyé !';
  await expect(page.getByRole('main').getByText(sent)).toBeVisible();
  const mail = await mailTo(page.request, email, 'Choisissez un nouveau mot de passe');
  expect(mail.text).toContain('Bonjour Ann,');
  await page.goto(linkOf(mail));
  const choose = async (password: string) => {
    await page.getByRole('textbox', { name: 'Nouveau mot de passe', exact: true }).fill(password);
    await page.getByRole('textbox', { name: 'Confirmez le nouveau mot de passe' }).fill(password);
    await expect(page.getByRole('listitem').filter({ hasText: 'Une majuscule' })).toContainText('respectée');
    await page.getByRole('button', { name: 'Modifier le mot de passe' }).click();
  };
  await choose(SECOND.padEnd(73, 'a'));
  await expect(page.getByRole('main').getByText('Le mot de passe a plus de 72 caractères.')).toBeVisible();
  await choose(SECOND);
  await expect(page.getByRole('main').getByText('Votre mot de passe a été réinitialisé !')).toBeVisible();
  await mailTo(page.request, email, 'Votre mot de passe a été modifié');
});

test('an address that nobody has gets the same answer and no mail, and links name this site alone', async ({
  signedIn: admin,
  visitor,
}) => {
  const email = ownAddress();
  await makeUser(admin, email, FIRST);
  const page = await visitor();
  const nobody = `nobody-${email}`;
  const headers = {
    'X-Forwarded-Host': 'evil.example',
    Forwarded: 'host=evil.example',
    Origin: 'https://evil.example',
  };
  for (const address of [nobody, email]) {
    const answer = await page.request.post('/api/UserAccounts/reset', { data: { email: address }, headers });
    expect(answer.status()).toBe(204);
  }
  const mail = await mailTo(page.request, email, 'Choose a new password');
  expect(`${mail.text}${mail.html}`).not.toContain('evil');
  expect(new URL(linkOf(mail)).origin).toBe(new URL(process.env.VIGIE_URL ?? '').origin);
  expect(await mailsTo(page.request, nobody)).toEqual([]);
});

test('a new account gets a link to choose its password', async ({ signedIn: admin, visitor }) => {
  const email = ownAddress();
  await makeUser(admin, email, FIRST);
  const mail = await mailTo(admin.request, email, 'Your account is ready');
  expect(mail.text).not.toContain(FIRST);
  const page = await visitor();
  await page.goto(linkOf(mail));
  await page.getByRole('textbox', { name: 'New password', exact: true }).fill(SECOND);
  await page.getByRole('textbox', { name: 'Confirm the new password' }).fill(SECOND);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await fillLogin(page, email, SECOND);
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
});

test('the profile changes names, language and password, and signs out elsewhere', async ({
  signedIn: admin,
  visitor,
}) => {
  const email = ownAddress();
  await makeUser(admin, email, FIRST);
  const [page, phone] = [await visitor(), await visitor()];
  for (const signing of [phone, page]) {
    await signing.goto('/login');
    await fillLogin(signing, email, FIRST);
    await expect(signing.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  }
  await openProfile(page, /^Account of Ann/, 'edit profile');
  await expect(page.getByRole('textbox', { name: 'Email' })).toHaveAttribute('readonly', '');
  await page.getByLabel('First name').fill('Anna');
  await page.getByRole('dialog').getByText('Français', { exact: true }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('profil mis à jour')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Modifier le profil' })).toBeVisible();

  await page.getByRole('tab', { name: 'Sessions' }).click();
  const sessions = page.getByRole('list', { name: 'Vos sessions' }).getByRole('listitem');
  await expect(sessions).toHaveCount(2);
  await expect(sessions.filter({ hasText: 'cette session' })).toHaveCount(1);
  await page.getByRole('button', { name: /^Déconnecter : Chrome sur Linux/ }).click();
  await expect(sessions).toHaveCount(1);
  await phone.goto('/domains');
  await expect(phone).toHaveURL(/\/login/);

  await page.getByRole('tab', { name: 'Mot de passe' }).click();
  const change = page.getByRole('button', { name: 'Modifier le mot de passe' });
  await page.getByRole('textbox', { name: 'Mot de passe actuel' }).fill('Not-it-1');
  await page.getByRole('textbox', { name: 'Nouveau mot de passe', exact: true }).fill('Vigie#22');
  await page.getByRole('textbox', { name: 'Confirmez le nouveau mot de passe' }).fill('Vigie#22');
  await expect(change).toBeDisabled();
  await page.getByRole('textbox', { name: 'Nouveau mot de passe', exact: true }).fill('Tq7$kf2Zp9x');
  await page.getByRole('textbox', { name: 'Confirmez le nouveau mot de passe' }).fill('Tq7$kf2Zp9');
  await expect(page.getByText('Les mots de passe ne correspondent pas')).toBeVisible();
  await expect(change).toBeDisabled();
  await page.getByRole('textbox', { name: 'Confirmez le nouveau mot de passe' }).fill('Tq7$kf2Zp9x');
  await change.click();
  await expect(page.getByRole('dialog').getByText("Ce n'est pas votre mot de passe actuel.")).toBeVisible();
  await page.getByRole('textbox', { name: 'Mot de passe actuel' }).fill(FIRST);
  await change.click();
  await expect(page.getByText('Votre mot de passe a été modifié avec succès !')).toBeVisible();
  await mailTo(page.request, email, 'Votre mot de passe a été modifié');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: /^Compte de Anna/ })).toBeVisible();
});

test('a caught mail is shown with its headers, its text, and its HTML in which nothing runs', async ({
  signedIn: admin,
  visitor,
}) => {
  const email = ownAddress();
  await makeUser(admin, email, FIRST);
  const mail = await mailTo(admin.request, email, 'Your account is ready');
  const page = await visitor();
  await page.goto(mailPage(mail));
  await expect(page.getByRole('heading', { level: 1, name: 'Your account is ready' })).toBeVisible();
  await expect(page.getByText('Auto-Submitted')).toBeVisible();
  await expect(page.locator('pre')).toContainText('Hello Ann,');
  const frame = page.locator('iframe');
  await expect(frame).toHaveAttribute('sandbox', 'allow-popups allow-popups-to-escape-sandbox');
  await expect(frame.contentFrame().getByRole('link', { name: 'Choose your password' })).toBeVisible();
});

for (const [lng, width, words] of [
  [
    'en',
    1440,
    {
      account: /^Account of /,
      entry: 'edit profile',
      tab: 'API keys',
      name: 'Name',
      make: 'Make a key',
      key: 'The new key',
      done: 'Done',
      list: 'Your keys',
      end: 'End the key nightly report',
      sure: 'End',
      ended: 'The key has been ended.',
    },
  ],
  [
    'fr',
    390,
    {
      account: /^Compte de /,
      entry: 'modifier le profil',
      tab: 'Clés API',
      name: 'Nom',
      make: 'Créer une clé',
      key: 'La nouvelle clé',
      done: 'Terminé',
      list: 'Vos clés',
      end: 'Mettre fin à la clé nightly report',
      sure: 'Mettre fin',
      ended: 'La clé a pris fin.',
    },
  ],
] as const)
  test(`an API key is shown once, reads a list, and ends, in ${lng} at ${width} px`, async ({
    signedIn: page,
    playwright,
    baseURL,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/?lng=${lng}`);
    await page.getByRole('button', { name: words.account }).click();
    await page.getByRole('menuitem', { name: words.entry }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('tab', { name: words.tab }).click();
    const make = dialog.getByRole('button', { name: words.make });
    await expect(make).toBeDisabled();
    await dialog.getByLabel(words.name).fill('nightly report');
    await make.click();
    const key = (await dialog.getByLabel(words.key).textContent()) ?? '';
    expect(key).toMatch(/^vigie_.{43}$/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.screenshot({ path: test.info().outputPath(`key-${lng}.png`) });

    // A program of its own, without the browser's cookies.
    const program = await playwright.request.newContext({
      ...(baseURL && { baseURL }),
      extraHTTPHeaders: { Authorization: `Bearer ${key}` },
    });
    expect((await program.get('/api/monitoring/domains')).status()).toBe(200);
    expect((await program.get('/api/UserAccounts/me')).status()).toBe(403);

    await dialog.getByRole('button', { name: words.done }).click();
    const row = dialog.getByRole('list', { name: words.list }).getByRole('listitem').first();
    await expect(row).toContainText(key.slice(-4));
    await expect(dialog).not.toContainText(key);
    await row.getByRole('button', { name: words.end }).click();
    await page.getByRole('dialog').last().getByRole('button', { name: words.sure, exact: true }).click();
    await expect(page.getByText(words.ended)).toBeVisible();
    expect((await program.get('/api/monitoring/domains')).status()).toBe(401);
    await program.dispose();
  });
