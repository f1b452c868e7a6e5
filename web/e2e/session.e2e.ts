import { EMAIL, expect, fillLogin, PASSWORD, test } from './fixtures';

test('refuses a wrong password in a toast and in the list of errors', async ({ page }) => {
  await page.goto('/login');
  // Nobody's address, so that the throttle of a real one is not used up.
  await fillLogin(page, `nobody-${Date.now()}@vigie.example`, 'wrong');
  await expect(page.getByText('Authentication failed. Pleased check your email / password.')).toBeVisible();
  await expect(page.getByText('Unauthorized', { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
});

test('asks for the e-mail and the password', async ({ page }) => {
  await page.goto('/login');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('The email is required')).toBeVisible();
  await expect(page.getByText('The password is required')).toBeVisible();
});

test('asks to sign in first, then goes where one wanted to go', async ({ page }) => {
  await page.goto('/domains?page=2');
  await expect(page).toHaveURL('/login?redirect=%2Fdomains%3Fpage%3D2');
  await fillLogin(page, EMAIL, PASSWORD);
  await expect(page.getByRole('heading', { level: 1, name: 'Domains' })).toBeVisible();
  expect(new URL(page.url()).searchParams.get('page')).toBe('2');
});

test('never leaves this site after signing in', async ({ page }) => {
  await page.goto('/login?redirect=%2F%2Fevil.example');
  await fillLogin(page, EMAIL, PASSWORD);
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  expect(new URL(page.url()).pathname).toBe('/');
});

test('keeps the session in cookies no script can read', async ({ signedIn: page, context }) => {
  await page.goto('/');
  const cookie = (await context.cookies()).find(({ name }) => name === 'access_token');
  expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict' });
  expect(await page.evaluate(() => document.cookie)).not.toContain('access_token');
});

test('sends those who are signed in past the form', async ({ signedIn: page }) => {
  await page.goto('/login?redirect=%2Fdomains');
  await expect(page.getByRole('heading', { level: 1, name: 'Domains' })).toBeVisible();
});

test('signs out, forgets what was kept and asks to sign in again', async ({ signedIn: page, context }) => {
  await page.goto('/');
  await page.getByRole('button', { name: /^Account of / }).click();
  await page.getByRole('menuitem', { name: 'logout' }).click();
  await expect(page).toHaveURL(/\/login$/);
  expect((await context.cookies()).map(({ name }) => name)).not.toContain('access_token');
  expect(
    await page.evaluate(() => Object.keys(localStorage).filter((key) => /^(?:list|cols|session)/.test(key))),
  ).toEqual([]);
  await page.goto('/domains');
  await expect(page).toHaveURL(/\/login\?redirect=/);
});

test('says that a session has expired', async ({ signedIn: page, context }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
  await context.clearCookies();
  await page.reload();
  await expect(page.getByText('session expired')).toBeVisible();
  await expect(page).toHaveURL(/\/login/);
});

test('sends an unknown path to /404 and from there home', async ({ signedIn: page }) => {
  await page.goto('/no-such-page');
  await expect(page).toHaveURL(/\/404$/);
  await expect(page.getByRole('heading', { name: "This page doesn't exist." })).toBeVisible();
  await page.getByRole('link', { name: 'Back to home' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
});

test('shows the status code when the user cannot be loaded, and tries again when asked', async ({ signedIn: page }) => {
  await page.goto('/');
  const me = /\/api\/UserAccounts\/me/;
  await page.route(me, (route) =>
    route.fulfill({ status: 503, json: { error: { statusCode: 503, message: 'down' } } }),
  );
  await page.reload();
  await expect(page.getByText('503', { exact: true })).toBeVisible();
  await expect(page).not.toHaveURL(/\/login/);
  await expect(page.getByRole('button', { name: 'Sign out' })).toBeVisible();
  await page.unroute(me);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
});

test('promises no mail to what is no address', async ({ page }) => {
  await page.goto('/forgot');
  for (const wrong of ['ann', 'ann@brivault', '<script>@x y.example']) {
    await page.getByLabel('Email').fill(wrong);
    await page.getByRole('button', { name: 'Send me the link' }).click();
    await expect(page.getByText('The email is not valid')).toBeVisible();
    await page.getByLabel('Email').fill('');
    await expect(page.getByText('The email is not valid')).toHaveCount(0);
  }
});

test('tells what the server says when a link to choose a password cannot be sent', async ({ page }) => {
  const message = 'The mails are out of order.';
  await page.route(/\/api\/UserAccounts\/reset$/, (route) =>
    route.fulfill({ status: 500, json: { error: { statusCode: 500, message } } }),
  );
  await page.goto('/forgot');
  await page.getByLabel('Email').fill('ann@brivault.example');
  await page.getByRole('button', { name: 'Send me the link' }).click();
  // In a toast, and in the list of errors above the form.
  await expect(page.getByText(message)).toHaveCount(2);
});

test('offers administrators what they alone may open', async ({ signedIn: page }) => {
  await page.goto('/');
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  for (const [name, path] of [
    ['Tags', '/tags'],
    ['Company accounts', '/company-account'],
    ['Users', '/users'],
    ['Operations', '/operations'],
  ] as const) {
    await expect(menu.getByRole('link', { name, exact: true })).toHaveAttribute('href', new RegExp(`^${path}`));
  }
});

for (const [locale, title, button] of [
  ['en-GB', 'This link is no longer valid', 'Go to login'],
  ['fr-FR', "Ce lien n'est plus valide", 'Aller à la connexion'],
] as const) {
  test(`says in the reader's language that a link confirms nothing (${locale})`, async ({ visitor }) => {
    const page = await visitor(locale);
    await page.goto('/api/UserAccounts/confirm?uid=1&token=used&redirect=%2Flogin');
    await expect(page).toHaveURL(/\/confirm\/failed$/);
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
    await page.getByRole('link', { name: button }).click();
    await expect(page).toHaveURL(/\/login$/);
  });
}

test('leaves from where the user cannot be loaded', async ({ signedIn: page }) => {
  const me = /\/api\/UserAccounts\/me/;
  await page.route(me, (route) =>
    route.fulfill({ status: 500, json: { error: { statusCode: 500, message: 'Internal Server Error' } } }),
  );
  await page.goto('/domains');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(/\/login$/);
});

test('offers a new link where the one of a mail has expired', async ({ page }) => {
  await page.goto('/reset/no-such-link');
  await page.getByRole('textbox', { name: 'New password', exact: true }).fill('Vigie-demo-22');
  await page.getByRole('textbox', { name: 'Confirm the new password' }).fill('Vigie-demo-22');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await expect(page.getByText('Your token has expired.').first()).toBeVisible();
  await page.getByRole('link', { name: 'Send me a new link' }).click();
  await expect(page).toHaveURL(/\/forgot$/);
});

test('names the screens of the minimised menu to who goes through it by keyboard', async ({ signedIn: page }) => {
  await page.goto('/');
  await page.setViewportSize({ width: 1200, height: 800 });
  const menu = page.getByRole('navigation', { name: 'Main menu' });
  const entry = menu.getByRole('link', { name: 'Domains' });
  const seen = async () => (await entry.getByText('Domains').boundingBox())?.width ?? 0;
  await expect.poll(seen).toBeLessThan(10);
  await page.getByRole('link', { name: 'Skip to the content' }).focus();
  for (let tabs = 0; tabs < 3; tabs++) await page.keyboard.press('Tab');
  await expect.poll(seen).toBeGreaterThan(30);
});
