import type { Page } from '@playwright/test';
import { answerAs, detailOf, LEAVES_MS, mailsOf, newCase, requestedCase } from './caseMails';
import { expect, test, VIEWS } from './fixtures';
import { mailTo } from './mails';

const WORDS = {
  en: {
    written: 'Write an e-mail',
    subject: 'Subject',
    text: 'Text',
    leaving: 'E-mail that is leaving',
    undo: 'Undo',
    undone: 'The e-mail was not sent; its draft is back.',
    goOn: 'Go on with the draft',
    left: 'accepted by the server',
    bounced: 'bounced',
    unread: 'unread',
    readBy: /^Read by /,
    accept: 'Accept this case?',
    requested: 'requested',
    notified: 'Notified',
    accepted: 'accepted',
    nobody: 'No contact for this advertiser can be written to.',
  },
  fr: {
    written: 'Écrire un e-mail',
    subject: 'Objet',
    text: 'Texte',
    leaving: 'E-mail en cours de départ',
    undo: 'Annuler',
    undone: "L'e-mail n'est pas parti ; son brouillon est de retour.",
    goOn: 'Reprendre le brouillon',
    left: 'accepté par le serveur',
    bounced: 'rejeté',
    unread: 'non lu',
    readBy: /^Lu par /,
    accept: 'Accepter ce dossier ?',
    requested: 'demandé',
    notified: 'Notifié',
    accepted: 'accepté',
    nobody: "Aucun contact de cet annonceur ne peut recevoir d'e-mail.",
  },
} as const;

const filter = (value: string) => JSON.stringify({ type: 'inq', value: [value] });

/** Waits until the page of the case says this status. */
const says = (page: Page, status: string) =>
  expect(page.getByRole('main')).toContainText(new RegExp(status, 'i'), { timeout: 30_000 });

let share = 2;
for (const { lng: language, width } of VIEWS) {
  const words = WORDS[language];
  // Each test has cases of its own.
  const [walked, absent] = [share++, share++];

  test(`goes from a detection to acceptance by keyboard alone, in ${language} at ${width} px`, async ({
    signedIn: page,
  }) => {
    test.setTimeout(180_000);
    await page.setViewportSize({ width, height: 900 });
    const address = `walk@${language}${width}-${Date.now()}.example`;
    const subject = `Walk ${language} ${width} ${Date.now()}`;
    const found = await newCase(page, walked, address);
    const press = (key: string) => page.keyboard.press(key);

    // In the list the detection is requested, and opened.
    const query = new URLSearchParams({
      lng: language,
      country: filter(found.country),
      domain: JSON.stringify({ type: 'contain', value: found.domain }),
    });
    await page.goto(`/actions?${query}&status=${encodeURIComponent(filter('new'))}`);
    const card = page.locator(`a[href="/action/${found.ID}"]`);
    await expect(card).toBeVisible();
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    for (let step = 0; step < 10 && !(await card.evaluate((link) => link === document.activeElement)); step += 1)
      await press('j');
    await expect(card).toBeFocused();
    const requested = page.waitForResponse(/\/api\/actions\/requested/);
    await press('m');
    expect((await requested).ok()).toBe(true);
    await page.goto(`/action/${found.ID}`);
    await says(page, words.requested);

    // The first mail is written and sent.
    const mails = mailsOf(page);
    await expect(mails.getByRole('region').first()).toBeVisible();
    const form = mails.getByRole('form', { name: words.written });
    await expect(async () => {
      await press('r');
      await expect(form.getByRole('textbox', { name: words.text })).toBeFocused({ timeout: 2_000 });
    }).toPass({ timeout: 30_000 });
    await page.keyboard.type('Please stop showing ads on our brand.');
    await press('Shift+Tab');
    await expect(form.getByRole('textbox', { name: words.subject })).toBeFocused();
    await page.keyboard.type(subject);
    await press('Control+Enter');
    await expect(page.getByRole('region', { name: words.leaving })).toBeVisible();
    await expect(mails.getByRole('button', { name: new RegExp(subject) })).toContainText(words.left, {
      timeout: LEAVES_MS,
    });
    await says(page, words.notified);

    // The answer comes by itself, is read, and accepted.
    await answerAs(page, await mailTo(page.request, address, subject), 'reply');
    const reply = mails.getByRole('button', { name: new RegExp(words.unread), expanded: false });
    await expect(reply).toBeVisible({ timeout: 30_000 });
    await press('j');
    await press('o');
    await expect(mails.getByText(/We have removed these ads|Nous avons retiré ces annonces/)).toBeVisible();
    await expect(mails.getByText(words.readBy)).toBeVisible({ timeout: 30_000 });
    await press('a');
    await expect(page.getByRole('dialog', { name: words.accept })).toBeVisible();
    await press('Enter');
    await expect(page.getByRole('dialog', { name: words.accept })).toHaveCount(0);
    await says(page, words.accepted);
    expect(await detailOf(page, found)).toMatchObject({ status: 'accepted', unreadCount: 0, receivedCount: 1 });
  });

  test(`takes a mail back, is not misled by an absence, and hears of a bounce, in ${language} at ${width} px`, async ({
    signedIn: page,
  }) => {
    test.setTimeout(180_000);
    await page.setViewportSize({ width, height: 900 });
    const address = `away@${language}${width}-${Date.now()}.example`;
    const subject = `Away ${language} ${width} ${Date.now()}`;
    const found = await requestedCase(page, absent, address);
    await page.goto(`/action/${found.ID}?lng=${language}`);
    const mails = mailsOf(page);
    const form = mails.getByRole('form', { name: words.written });
    await expect(mails.getByRole('region').first()).toBeVisible();
    await expect(async () => {
      await page.keyboard.press('r');
      await expect(form).toBeVisible({ timeout: 2_000 });
    }).toPass({ timeout: 30_000 });
    await form.getByRole('textbox', { name: words.subject }).fill(subject);
    const text = form.getByRole('textbox', { name: words.text });
    await text.fill('Please stop.');

    // Undone within its seconds, the mail is a draft again.
    await text.press('Control+Enter');
    const bar = page.getByRole('region', { name: words.leaving });
    await bar.getByRole('button', { name: words.undo }).click();
    await expect(page.getByText(words.undone)).toBeVisible();
    await expect(text).toHaveValue('Please stop.');
    expect((await detailOf(page, found)).status).toBe('requested');
    await text.press('Control+Enter');
    const own = mails.getByRole('button', { name: new RegExp(subject) }).first();
    await expect(own).toContainText(words.left, { timeout: LEAVES_MS });

    // An absence note counts as nothing, and nobody waits for its reader.
    const caught = await mailTo(page.request, address, subject);
    await answerAs(page, caught, 'out-of-office');
    await expect(mails.getByRole('article')).toHaveCount(2, { timeout: 30_000 });
    expect(await detailOf(page, found)).toMatchObject({ status: 'inprogress', unreadCount: 0, receivedCount: 0 });

    // A bounce leaves nobody to write to.
    await answerAs(page, caught, 'hard-bounce');
    await expect(own).toContainText(words.bounced, { timeout: 30_000 });
    await expect(mails.getByText(words.nobody)).toBeVisible({ timeout: 30_000 });
    await expect.poll(async () => (await detailOf(page, found)).status).toBe('blocked');
  });
}
