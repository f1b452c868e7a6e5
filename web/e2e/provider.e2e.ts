import type { Server } from 'node:http';
import { expect, test } from './fixtures';
import { signInThere, startProvider, unverified } from './identityProvider';
import { makeUser } from './mails';

// One provider, at the address that the stack knows.
test.describe.configure({ mode: 'serial' });

const PASSWORD = 'Vigie!first-1';

let made = 0;
const ownAddress = () => `federated-${process.pid}-${Date.now()}-${made++}@brivault.example`;

let server: Server;
test.beforeAll(async ({ baseURL }) => {
  server = await startProvider(baseURL ?? '');
});
test.afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const TEXTS = {
  en: {
    locale: 'en-GB',
    width: 1440,
    button: 'Sign in with Brivault ID',
    terms: 'Terms',
    unknown: 'No account here has your verified email address. Ask your administrator for one.',
    denied: 'The provider has not signed you in.',
  },
  fr: {
    locale: 'fr-FR',
    width: 390,
    button: 'Se connecter avec Brivault ID',
    terms: 'Mots-clés',
    unknown: "Aucun compte n'a ici votre adresse e-mail vérifiée. Demandez-en un à votre administrateur.",
    denied: 'Le fournisseur ne vous a pas connecté.',
  },
} as const;

for (const t of Object.values(TEXTS)) {
  test(`signs in with a provider, and nobody it does not know, in ${t.locale} at ${t.width} px`, async ({
    signedIn: admin,
    visitor,
  }) => {
    const email = ownAddress();
    await makeUser(admin, email, PASSWORD);

    // An address that the provider has not verified, and one that no account has.
    for (const person of [unverified(email), ownAddress()]) {
      const stranger = await visitor(t.locale);
      await stranger.setViewportSize({ width: t.width, height: 900 });
      await stranger.goto('/login');
      await stranger.getByRole('link', { name: t.button }).click();
      await signInThere(stranger, person);
      await expect(stranger.getByText(t.unknown)).toBeVisible();
      await stranger.screenshot({ path: test.info().outputPath('unknown.png') });
    }

    const page = await visitor(t.locale);
    await page.setViewportSize({ width: t.width, height: 900 });
    await page.goto('/terms');
    await expect(page).toHaveURL(/\/login\?redirect=/);
    await page.getByRole('link', { name: t.button }).click();
    await signInThere(page, email);
    await expect(page).toHaveURL(/\/terms/);
    await expect(page.getByRole('heading', { level: 1, name: t.terms })).toBeVisible();
    const me = await page.request.get('/api/UserAccounts/me');
    expect(((await me.json()) as { email: string }).email).toBe(email);

    // Cancelling at the provider signs nobody in.
    const unwilling = await visitor(t.locale);
    await unwilling.goto('/login');
    await unwilling.getByRole('link', { name: t.button }).click();
    await unwilling.getByRole('link', { name: 'Cancel' }).click();
    await expect(unwilling.getByText(t.denied)).toBeVisible();
  });
}

test('says so where the provider does not answer', async ({ visitor }) => {
  server.closeAllConnections();
  server.close();
  const page = await visitor();
  await page.goto('/login');
  await page.getByRole('link', { name: TEXTS.en.button }).click();
  await expect(page.getByText('The provider does not answer as it should.', { exact: false })).toBeVisible();
  await expect(page.getByLabel('Email')).toBeVisible();
});
