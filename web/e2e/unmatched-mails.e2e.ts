import type { Page } from '@playwright/test';
import { detailOf, requestedCase } from './caseMails';
import { axe, expect, test } from './fixtures';

/** What mail servers show; the stack keeps it with its other settings. */
const SECRET = process.env.VIGIE__INBOUND__SECRET;

/** A mail comes in that names no case. */
async function receive(page: Page, from: string, subject: string): Promise<void> {
  const raw = [
    `From: Julien Martin <${from}>`,
    'To: info@vigie.example',
    `Subject: ${subject}`,
    `Message-ID: <${Date.now()}.${Math.random()}@advertiser.example>`,
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>We will stop.</p><script>parent.document.title = "stolen"</script><img src="https://spy.example/p.png">',
  ].join('\r\n');
  const answer = await page.request.post('/api/Emails/inbound', {
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'message/rfc822', 'x-envelope-from': from },
    data: raw,
  });
  expect(answer.ok(), await answer.text()).toBe(true);
}

for (const [language, width, height, words] of [
  [
    'en',
    1440,
    900,
    { title: 'Received e-mails', filed: 'The e-mail is filed.', discard: 'Discard', undo: 'Undo', all: 'All e-mails' },
  ],
  [
    'fr',
    390,
    844,
    {
      title: 'E-mails reçus',
      filed: "L'e-mail est classé.",
      discard: 'Écarter',
      undo: 'Annuler',
      all: 'Tous les e-mails',
    },
  ],
] as const)
  test(`reads a mail without a case, files it, and brings another back, in ${language} at ${width} px`, async ({
    signedIn: page,
  }) => {
    expect(SECRET, 'VIGIE__INBOUND__SECRET of the stack').toBeTruthy();
    await page.setViewportSize({ width, height });
    const address = `unmatched.${language}.${Date.now()}@advertiser.example`;
    const found = await requestedCase(page, language === 'en' ? 10 : 11, address);
    const [kept, dropped] = [`Kept ${Date.now()}`, `Dropped ${Date.now()}`];
    const spied: string[] = [];
    page.on('request', (request) => request.url().includes('spy.example') && spied.push(request.url()));
    for (const subject of [kept, dropped]) await receive(page, address, subject);
    await expect
      .poll(async () => {
        const { data } = await (await page.request.get('/api/inboundMails')).json();
        return (data as { subject: string }[]).filter(({ subject }) => [kept, dropped].includes(subject)).length;
      })
      .toBe(2);

    await page.goto(`/unmatched-mails?lng=${language}`);
    await expect(page.getByRole('heading', { level: 1, name: words.title })).toBeVisible();
    await page.getByRole('button', { name: new RegExp(kept) }).click();
    const reader = page.getByRole('article', { name: kept });
    await expect(reader.getByText('We will stop.')).toBeVisible();
    // Other cases of the advertiser are suggested as well.
    const own = page.locator(`a[href^="/action/${found.ID}?"], a[href="/action/${found.ID}"]`);
    const suggestion = reader.getByRole('listitem').filter({ has: own });
    await expect(suggestion).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect((await axe(page).analyze()).violations).toEqual([]);
    expect(spied).toEqual([]);
    await suggestion.getByRole('button').click();
    await expect(page.getByText(words.filed)).toBeVisible();
    await expect.poll(async () => (await detailOf(page, found)).receivedCount, { timeout: 30_000 }).toBe(1);
    await expect(page.getByRole('button', { name: new RegExp(kept) })).toHaveCount(0);

    const back = page.getByRole('button', { name: words.all });
    if (await back.isVisible()) await back.click();
    await page.getByRole('button', { name: new RegExp(dropped) }).click();
    await page.getByRole('article', { name: dropped }).getByRole('button', { name: words.discard }).click();
    const bar = page.getByRole('region', { name: words.undo });
    await expect(bar).toBeVisible();
    await expect(page.getByRole('article', { name: dropped })).toHaveCount(0);
    await bar.getByRole('button', { name: words.undo }).click();
    await expect
      .poll(async () => {
        const { data } = await (await page.request.get('/api/inboundMails')).json();
        return (data as { subject: string }[]).some(({ subject }) => subject === dropped);
      })
      .toBe(true);
  });
