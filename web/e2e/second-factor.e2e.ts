import { createHmac } from 'node:crypto';
import type { Page } from '@playwright/test';
import { axe, expect, test } from './fixtures';
import { mailTo, makeUser } from './mails';

const PASSWORD = 'Vigie!first-1';
/** How long an app shows a code, in seconds. */
const STEP = 30;
/** Seconds that must be left of a half minute: the code before the present one is used after a wrong one. */
const TIME_NEEDED = 10;

let made = 0;
const ownAddress = () => `twofold-${process.pid}-${Date.now()}-${made++}@brivault.example`;

const TEXTS = {
  en: {
    locale: 'en-GB',
    width: 1440,
    account: /^Account of /,
    profile: 'edit profile',
    tab: 'Password',
    setUp: 'Set up',
    current: 'Current password',
    next: 'Continue',
    wrongPassword: 'This is not your current password.',
    secret: 'The secret for your app',
    picture: 'The secret for your app, as a picture',
    first: 'The code that the app shows now',
    switchOn: 'Switch on',
    wrong: 'This code is wrong, or was used before. Wait for the next one.',
    codes: 'Your recovery codes',
    kept: 'I have kept them',
    on: /^On since .*10 recovery codes are left\.$/,
    mail: 'The second factor of your account changed',
    email: 'Email',
    password: 'Password',
    submit: 'Sign in',
    code: 'Code of your app',
    home: 'Dashboard',
    off: 'Switch off',
    isOff: 'Sign-ins need the password alone.',
  },
  fr: {
    locale: 'fr-FR',
    width: 390,
    account: /^Compte de /,
    profile: 'modifier le profil',
    tab: 'Mot de passe',
    setUp: 'Configurer',
    current: 'Mot de passe actuel',
    next: 'Continuer',
    wrongPassword: "Ce n'est pas votre mot de passe actuel.",
    secret: 'Le secret pour votre application',
    picture: 'Le secret pour votre application, en image',
    first: "Le code que l'application affiche maintenant",
    switchOn: 'Activer',
    wrong: 'Ce code est faux ou a déjà été utilisé. Attendez le suivant.',
    codes: 'Vos codes de secours',
    kept: 'Je les ai conservés',
    on: /^Activé depuis le .*Il reste 10 codes de secours\.$/,
    mail: 'Le second facteur de votre compte a changé',
    email: 'E-mail',
    password: 'Mot de passe',
    submit: 'Se connecter',
    code: 'Code de votre application',
    home: 'Tableau de bord',
    off: 'Désactiver',
    isOff: 'La connexion ne demande plus que le mot de passe.',
  },
} as const;

/** What an app does with a secret: the code of a half minute (RFC 6238). */
function codeOf(secret: string, step: number): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  return String((digest.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 1_000_000).padStart(6, '0');
}

/** The present half minute, once enough of it is left. */
async function freshStep(): Promise<number> {
  await expect.poll(() => STEP - ((Date.now() / 1_000) % STEP), { timeout: 40_000 }).toBeGreaterThan(TIME_NEEDED);
  return Math.floor(Date.now() / 1_000 / STEP);
}

/** The screen is legible and can be operated by everybody. */
async function expectAccessible(page: Page): Promise<void> {
  expect((await axe(page).analyze()).violations).toEqual([]);
}

async function signIn(page: Page, email: string, t: (typeof TEXTS)['en' | 'fr']): Promise<void> {
  await page.goto('/login');
  await page.getByLabel(t.email).fill(email);
  await page.getByRole('textbox', { name: t.password }).fill(PASSWORD);
  await page.getByRole('button', { name: t.submit }).click();
}

for (const t of Object.values(TEXTS)) {
  test(`a second factor is set up, asked for and switched off, in ${t.locale} at ${t.width} px`, async ({
    signedIn: admin,
    visitor,
  }) => {
    test.setTimeout(120_000);
    const email = ownAddress();
    await makeUser(admin, email, PASSWORD);
    const page = await visitor(t.locale);
    await page.setViewportSize({ width: t.width, height: 844 });
    await signIn(page, email, t);
    await expect(page.getByRole('heading', { level: 1, name: t.home })).toBeVisible();
    const openPassword = async () => {
      await page.getByRole('button', { name: t.account }).click();
      await page.getByRole('menuitem', { name: t.profile }).click();
      await page.getByRole('tab', { name: t.tab }).click();
    };
    await openPassword();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: t.setUp }).click();
    const form = dialog.locator('form').last();
    await form.getByRole('textbox', { name: t.current }).fill('Wrong-password-1');
    await form.getByRole('button', { name: t.next }).click();
    await expect(form.getByText(t.wrongPassword)).toBeVisible();
    await form.getByRole('textbox', { name: t.current }).fill(PASSWORD);
    await form.getByRole('button', { name: t.next }).click();
    await expect(dialog.getByRole('img', { name: t.picture })).toBeVisible();
    const secret = ((await dialog.getByLabel(t.secret, { exact: true }).textContent()) ?? '').replaceAll(' ', '');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(t.width);
    await page.screenshot({ path: test.info().outputPath('secret.png') });
    await expectAccessible(page);
    const step = await freshStep();
    await dialog.getByLabel(t.first).fill('000000');
    await dialog.getByRole('button', { name: t.switchOn }).click();
    await expect(dialog.getByText(t.wrong)).toBeVisible();
    await dialog.getByLabel(t.first).fill(codeOf(secret, step - 1));
    await dialog.getByRole('button', { name: t.switchOn }).click();
    const codes = dialog.getByRole('list', { name: t.codes }).getByRole('listitem');
    await expect(codes).toHaveCount(10);
    const recovery = (await codes.first().textContent()) ?? '';
    await page.screenshot({ path: test.info().outputPath('recovery-codes.png') });
    await dialog.getByRole('button', { name: t.kept }).click();
    await expect(dialog.getByText(t.on)).toBeVisible();
    await page.screenshot({ path: test.info().outputPath('on.png') });
    await expectAccessible(page);
    await mailTo(page.request, email, t.mail);

    // The next sign-in asks for a code, and takes none twice.
    const second = await visitor(t.locale);
    await second.setViewportSize({ width: t.width, height: 844 });
    await signIn(second, email, t);
    await second.getByLabel(t.code).fill(codeOf(secret, step - 1));
    await second.screenshot({ path: test.info().outputPath('code.png') });
    await second.getByRole('button', { name: t.submit }).click();
    await expect(second.getByText(t.wrong)).toBeVisible();
    await second.getByLabel(t.code).fill(codeOf(secret, step));
    await second.getByRole('button', { name: t.submit }).click();
    await expect(second.getByRole('heading', { level: 1, name: t.home })).toBeVisible();

    // So does a recovery code.
    const third = await visitor(t.locale);
    await signIn(third, email, t);
    await third.getByLabel(t.code).fill(recovery.toUpperCase());
    await third.getByRole('button', { name: t.submit }).click();
    await expect(third.getByRole('heading', { level: 1, name: t.home })).toBeVisible();

    await dialog.getByRole('button', { name: t.off }).click();
    await form.getByRole('textbox', { name: t.current }).fill(PASSWORD);
    await form.getByLabel(t.code).fill(codeOf(secret, step + 1));
    await form.getByRole('button', { name: t.off }).click();
    await expect(page.getByText(t.isOff)).toBeVisible();
    const last = await visitor(t.locale);
    await signIn(last, email, t);
    await expect(last.getByRole('heading', { level: 1, name: t.home })).toBeVisible();
  });
}

test('an administrator who needs a second factor sets it up before the sign-in', async ({
  signedIn: admin,
  visitor,
}) => {
  const t = TEXTS.en;
  const email = ownAddress();
  await makeUser(admin, email, PASSWORD);
  const page = await visitor();
  // As a server with api.second_factor_of_administrators answers; everything after it is this server's.
  await page.route(
    '**/api/UserAccounts/login',
    (route) =>
      route.fulfill({
        status: 401,
        json: {
          error: { statusCode: 401, message: 'Administrators need a second factor here', code: 'SECOND_FACTOR_SET_UP' },
        },
      }),
    { times: 1 },
  );
  await signIn(page, email, t);
  await expect(page.getByRole('heading', { level: 1, name: 'Set up a second factor' })).toBeVisible();
  await page.getByRole('button', { name: t.setUp }).click();
  const secret = ((await page.getByLabel(t.secret, { exact: true }).textContent()) ?? '').replaceAll(' ', '');
  const step = await freshStep();
  await page.getByLabel(t.first).fill(codeOf(secret, step));
  await page.getByRole('button', { name: t.switchOn }).click();
  await page.getByRole('button', { name: t.kept }).click();
  await page.getByLabel(t.code).fill(codeOf(secret, step + 1));
  await page.getByRole('button', { name: t.submit }).click();
  await expect(page.getByRole('heading', { level: 1, name: t.home })).toBeVisible();

  // An administrator removes the second factor of a user who has lost the phone.
  const id = await admin.request
    .get(`/api/UserAccounts?filter=${encodeURIComponent(JSON.stringify({ where: { email } }))}`)
    .then(async (answer) => ((await answer.json()) as [{ id: number }])[0].id);
  await admin.goto(`/users/${id}`);
  await admin.getByRole('button', { name: 'Remove the second factor' }).click();
  await admin.getByRole('dialog').getByRole('button', { name: 'Remove the second factor' }).click();
  await expect(admin.getByText('Off: the password alone opens the account')).toBeVisible();
  await page.reload();
  await expect(page).toHaveURL(/\/login/);
});
