import { axe, EMAIL, expect, test } from './fixtures';
import { mailsTo } from './mails';

for (const [language, width, height, words] of [
  [
    'en',
    1440,
    900,
    {
      title: 'Alerts',
      menu: 'Main menu',
      add: 'New alert',
      save: 'Save',
      brand: 'Brand',
      missing: 'Choose a brand',
      subject: 'Subject',
      way: 'When it is sent',
      cron: 'By a cron expression',
      cronField: 'Cron expression',
      wrong: 'This schedule never comes, or is malformed.',
      refused: 'This is no cron expression, or names a day that never comes',
      next: /^Next e-mail: Tuesday|^Next e-mail: \w+day/,
      test: 'Send me a test',
      sent: /^A test is on its way/,
      saved: 'The alert is saved.',
      on: (name: string) => `Send the alert ${name}`,
      off: /is off; nothing is sent/,
      delete: 'Delete',
      deleted: 'The alert is deleted.',
    },
  ],
  [
    'fr',
    390,
    844,
    {
      title: 'Alertes',
      menu: 'Menu principal',
      add: 'Nouvelle alerte',
      save: 'Enregistrer',
      brand: 'Marque',
      missing: 'Choisissez une marque',
      subject: 'Objet',
      way: 'Quand elle est envoyée',
      cron: 'Par une expression cron',
      cronField: 'Expression cron',
      wrong: "Ce moment n'arrive jamais, ou l'expression n'est pas valide.",
      refused: "Ce n'est pas une expression cron, ou ce jour n'arrive jamais",
      next: /^Prochain e-mail\s: \w+di|^Prochain e-mail\s: dimanche/,
      test: "M'envoyer un test",
      sent: /^Un test est en route/,
      saved: "L'alerte est enregistrée.",
      on: (name: string) => `Envoyer l'alerte ${name}`,
      off: /est inactive\s; rien n'est envoyé/,
      delete: 'Supprimer',
      deleted: "L'alerte est supprimée.",
    },
  ],
] as const)
  test(`makes an alert, tries it, switches it off and deletes it, in ${language} at ${width} px`, async ({
    signedIn: page,
  }) => {
    test.setTimeout(120_000);
    await page.setViewportSize({ width, height });
    const name = `Digest ${language} ${Date.now()}`;
    await page.goto(`/alerts?lng=${language}`);
    await expect(page.getByRole('heading', { level: 1, name: words.title })).toBeVisible();
    await page.getByRole('main').getByRole('button', { name: words.add }).click();
    const form = page.getByRole('dialog', { name: words.add });
    await form.getByRole('button', { name: words.save }).click();
    await expect(form.getByText(words.missing).first()).toBeVisible();
    await expect(form.getByText(words.next)).toBeVisible();

    // What is wrong is said at its field.
    await form
      .getByRole('textbox', { name: words.way })
      .or(form.getByRole('combobox', { name: words.way }))
      .click();
    await page.getByRole('option', { name: words.cron }).click();
    await form.getByRole('textbox', { name: words.cronField }).fill('0 8 31 2 *');
    await expect(form.getByText(words.wrong)).toBeVisible();
    const brand = form
      .getByRole('textbox', { name: words.brand })
      .or(form.getByRole('combobox', { name: words.brand }));
    await brand.click();
    await page.getByRole('option').first().click();
    await form.getByRole('button', { name: words.save }).click();
    await expect(form.getByText(words.refused)).toBeVisible();
    await form.getByRole('textbox', { name: words.cronField }).fill('0 8 1 * *');
    await expect(form.getByText(words.next)).toBeVisible();
    await form.getByRole('textbox', { name: words.subject }).fill(name);

    // The mail is tried on what is there, by the reader alone.
    await expect(form.getByText(name).last()).toBeVisible({ timeout: 30_000 });
    expect((await axe(page).analyze()).violations).toEqual([]);
    await form.getByRole('button', { name: words.test }).click();
    await expect(page.getByText(words.sent)).toBeVisible();
    await expect
      .poll(async () => (await mailsTo(page.request, EMAIL)).some(({ subject }) => subject.includes(name)), {
        timeout: 30_000,
      })
      .toBe(true);
    await form.getByRole('button', { name: words.save }).click();
    await expect(page.getByText(words.saved)).toBeVisible();

    const card = page.getByRole('listitem').filter({ hasText: name });
    await expect(card).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect((await axe(page).analyze()).violations).toEqual([]);
    await card.getByRole('switch', { name: words.on(name) }).press('Space');
    await expect(page.getByText(words.off)).toBeVisible();
    await card.getByRole('button', { name: `${words.delete} ${name}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: words.delete, exact: true }).click();
    await expect(page.getByText(words.deleted)).toBeVisible();
    await expect(card).toHaveCount(0);
  });
