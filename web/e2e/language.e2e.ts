import { expect, fillLogin, PASSWORD, rowsShown, test } from './fixtures';

for (const [asked, lang, title] of [
  ['fr_FR', 'fr', 'Domaines'],
  ['en_US', 'en', 'Domains'],
  // One that is not spoken here: the browser's.
  ['de', 'en', 'Domains'],
] as const) {
  test(`takes ?lng=${asked} for ${lang}`, async ({ signedIn: page }) => {
    await page.goto(`/domains?lng=${asked}`);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await rowsShown(page);
    await expect(page.locator('html')).toHaveAttribute('lang', lang);
  });
}

test('keeps the language over working as another user and coming back', async ({ signedIn: page }) => {
  await page.goto('/users?lng=fr');
  await rowsShown(page);
  await page.getByRole('button', { name: 'Que faire de Demo user Kestrel' }).click();
  await page.getByRole('menuitem', { name: "Changer d'utilisateur" }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Tableau de bord' })).toBeVisible();
  await page.getByRole('button', { name: 'Revenir à mon profil' }).click();
  await expect(page.getByRole('button', { name: /\(admin\)/ }).or(page.getByText('(admin)'))).toBeVisible();
  await expect(page.getByRole('heading', { level: 1, name: 'Tableau de bord' })).toBeVisible();
});

test('tells of a store that is away in the language of the reader', async ({ page }) => {
  const body = { error: { statusCode: 503, message: 'Postgres cannot be reached.', code: 'STORE_UNAVAILABLE' } };
  await page.route(/\/api\/UserAccounts\/login$/, (route) => route.fulfill({ status: 503, json: body }));
  await page.goto('/login?lng=fr');
  await page.getByLabel('E-mail').fill('ann@brivault.example');
  await page.getByRole('textbox', { name: 'Mot de passe' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Se connecter' }).click();
  await expect(page.getByText('Le service est indisponible pour le moment.').first()).toBeVisible();
  await expect(page.getByText('Postgres')).toHaveCount(0);
});

test('a user sees places in the own language', async ({ page }) => {
  await page.goto('/login');
  await fillLogin(page, 'user@kestrel.example', PASSWORD);
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  const place = { id: 1, termId: 1, content: 'red shoes', engine: 'google', locale: 'fr_FR', localization: 'London' };
  const row = { ...place, region: 'Bretagne', nbCompetitors: 1, nbAds: 1, nbViews: 1, categories: [] };
  const meta = { page: { total: 1 }, totalViews: 1, totalAds: 1, totalCompetitors: 1 };
  await page.route(/\/api\/Sems\/groupTerms\?/, (route) => route.fulfill({ json: { data: [row], meta, links: {} } }));
  await page.goto('/terms?lng=fr');
  await expect(page.getByText('Londres, Bretagne')).toBeVisible();
  await page.goto('/terms?lng=en');
  await expect(page.getByText('London, Brittany')).toBeVisible();
});
