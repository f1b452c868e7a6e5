import { type FoundCase, mailsOf, requestedCase } from './caseMails';
import { expect, fillLogin, PASSWORD, test } from './fixtures';

/** The operator of the demo data, with the password of all its people. */
const OPERATOR = 'operator@vigie.example';

for (const [language, width, words] of [
  ['en', 1440, { here: 'Also here', writes: 'is writing', asks: 'Somebody else is writing', send: 'Send' }],
  ['fr', 390, { here: 'Aussi ici', writes: 'écrit un e-mail', asks: "Quelqu'un d'autre écrit", send: 'Envoyer' }],
] as const)
  test(`two people on one case see each other, and the second is asked before sending, in ${language} at ${width} px`, async ({
    signedIn: page,
    visitor,
  }) => {
    test.setTimeout(120_000);
    const found: FoundCase = await requestedCase(
      page,
      language === 'en' ? 14 : 15,
      `p.${Date.now()}@advertiser.example`,
    );
    const address = `/action/${found.ID}?lng=${language}`;
    await page.setViewportSize({ width, height: 900 });
    await page.goto(address);
    const other = await visitor();
    await other.goto('/login');
    await fillLogin(other, OPERATOR, PASSWORD);
    await expect(other.getByRole('heading', { level: 1, name: 'Dashboard' })).toBeVisible();
    await other.goto(address);
    await expect(other.getByRole('list', { name: words.here })).toBeVisible();
    await expect(page.getByRole('list', { name: words.here })).toBeVisible({ timeout: 30_000 });

    const begin = /^(Write the first e-mail|Go on with the draft|Écrire le premier e-mail|Reprendre le brouillon)$/;
    const write = async (one: typeof page, text: string) => {
      const mails = mailsOf(one);
      await mails.getByRole('button', { name: begin }).click();
      // By key: on a phone the bar of the case may lie over the end of the frame.
      await mails
        .getByRole('dialog')
        .getByRole('button', { name: /^(Use this template|Utiliser ce modèle)$/ })
        .press('Enter');
      await mails
        .getByRole('form')
        .getByRole('textbox', { name: /^(Text|Texte)$/ })
        .fill(text);
      return mails;
    };
    await write(other, 'Hello from the other.');
    const mails = await write(page, 'Hello.');
    await expect(page.getByRole('list', { name: words.here })).toContainText(words.writes, { timeout: 30_000 });
    await mails
      .getByRole('form')
      .getByRole('textbox', { name: /^(Subject|Objet)$/ })
      .fill('Your ads');
    await mails.getByRole('form').getByRole('button', { name: words.send, exact: true }).press('Enter');
    await expect(mails.getByRole('dialog', { name: words.asks })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.screenshot({ path: test.info().outputPath(`presence-${language}.png`) });
  });
