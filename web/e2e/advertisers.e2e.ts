import { expect, rowsShown, test, WRITES } from './fixtures';

for (const [language, title, heading, documentTitle] of [
  ['en', 'Last status', 'Advertisers', 'Vigie | Advertisers'],
  ['fr', 'Dernier statut', 'Annonceurs', 'Vigie | Annonceurs'],
] as const) {
  test(`opens in ${language}`, async ({ signedIn: page }) => {
    await page.goto(`/advertisers?lng=${language}`);
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
    await expect(page).toHaveTitle(documentTitle);
    await rowsShown(page);
    await expect(page.getByRole('columnheader', { name: title, exact: true })).toBeVisible();
  });
}

// Tests run at the same time: each changes the advertisers of a country of its own.
test('requests a group, takes it back, and does neither where it does not fit', async ({ signedIn: page }) => {
  await page.goto('/advertisers?lng=en&status={"type":"inq","value":["new"]}&country={"type":"inq","value":["BE"]}');
  await rowsShown(page);
  const boxes = page.getByRole('checkbox', { name: /Press space to select the row/ });
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  const bar = page.getByRole('toolbar');
  await expect(bar.getByRole('button', { name: 'unignore' })).toBeDisabled();
  await bar.getByRole('button', { name: 'request', exact: true }).click();
  await expect(page.getByText("The advertisers' status is up to date.")).toBeVisible();
  await expect(bar).toBeHidden();

  await page.goto(
    '/advertisers?lng=en&status={"type":"inq","value":["requested"]}&country={"type":"inq","value":["BE"]}',
  );
  await rowsShown(page);
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check();
  await expect(bar.getByRole('button', { name: 'ignore', exact: true })).toBeDisabled();
  await bar.getByRole('button', { name: 'cancel request' }).click();
  await expect(page.getByText("The advertisers' status is up to date.")).toBeVisible();
});

test('changes one advertiser by its menu and shows the answer in its row', async ({ signedIn: page }) => {
  await page.goto('/advertisers?lng=fr&status={"type":"inq","value":["new"]}&country={"type":"inq","value":["FR"]}');
  await rowsShown(page);
  const first = page
    .getByRole('row')
    .filter({ has: page.getByRole('button', { name: /^Actions sur / }) })
    .first();
  await first.getByRole('button', { name: /^Actions sur / }).click();
  await page.getByRole('menuitem', { name: 'ignorer', exact: true }).click();
  await expect(first).toContainText('ignoré');
  await first.getByRole('button', { name: /^Actions sur / }).click();
  await page.getByRole('menuitem', { name: 'ne plus ignorer' }).click();
  await expect(first).toContainText('nouveau');
});

test('says that a change failed where somebody was faster', async ({ signedIn: page }) => {
  await page.goto('/advertisers?lng=fr&status={"type":"inq","value":["new"]}&country={"type":"inq","value":["GB"]}');
  await rowsShown(page);
  const menu = page.getByRole('button', { name: /^Actions sur / }).first();
  const id = await page.getByRole('row').filter({ has: menu }).first().getAttribute('row-id');
  await page
    .getByRole('checkbox', { name: /Appuyez sur espace pour sélectionner la ligne/ })
    .first()
    .check();
  const faster = await page.request.post('/api/actions/requested', { ...WRITES, data: { actionID: [Number(id)] } });
  expect(faster.status()).toBe(200);

  await page.getByRole('toolbar').getByRole('button', { name: 'ignorer', exact: true }).click();
  await expect(page.getByText('Une erreur est survenue.')).toBeVisible();
  await page.getByRole('button', { name: 'Fermer' }).first().click();
  await menu.click();
  await page.getByRole('menuitem', { name: 'ignorer', exact: true }).click();
  await expect(page.getByText('Une erreur est survenue')).toBeVisible();
});

test('orders by what goes with a status, and no longer once the status is gone', async ({ signedIn: page }) => {
  await page.goto('/advertisers?lng=en&status={"type":"inq","value":["accepted"]}');
  await rowsShown(page);
  await page.getByRole('button', { name: /^Sort/ }).click();
  await page.getByRole('menuitem', { name: 'accepted, ascending' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('order')).toBe('"acceptedDate"');
  await page.getByRole('button', { name: 'Reverse the order' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('direction')).toBe('"DESC"');
  await page.getByRole('button', { name: 'Remove the filter Status' }).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('order')).toBe('"lastView"');
});

test('makes a tag on the way, puts it on several rows and takes it off again', async ({ signedIn: page }) => {
  const label = `Watch ${Date.now()}`;
  await page.goto('/advertisers?lng=en');
  await rowsShown(page);
  const boxes = page.getByRole('checkbox', { name: /Press space to select the row/ });
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByRole('toolbar').getByRole('button', { name: 'Tags' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'Add a tag' }).fill(label);
  await page.getByRole('option', { name: `Create “${label}”` }).click();
  await dialog.getByRole('button', { name: 'Create and add' }).click();
  await expect(page.getByText('2 tag(s) added')).toBeVisible();
  await dialog.getByRole('button', { name: `Remove the tag ${label}` }).click();
  await dialog.getByRole('button', { name: 'Remove the tag', exact: true }).click();
  await expect(page.getByText('2 tag(s) removed')).toBeVisible();
});
