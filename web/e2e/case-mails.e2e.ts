import { answerAs, LEAVES_MS, mailsOf, requestedCase } from './caseMails';
import { axe, expect, test } from './fixtures';
import { mailTo } from './mails';

test('writes to an advertiser, takes it back, sends it, reads the reply, and hears of a bounce', async ({
  signedIn: page,
}) => {
  test.setTimeout(240_000);
  const address = `j.martin.${Date.now()}@advertiser.example`;
  const subject = `Your ads ${Date.now()}`;
  const found = await requestedCase(page, 0, address);

  // The first mail of a case begins with a template.
  await page.goto(`/action/${found.ID}`);
  const mails = mailsOf(page);
  await mails.getByRole('button', { name: 'Write the first e-mail' }).click();
  const templates = mails.getByRole('dialog', { name: 'Templates' });
  await templates.getByRole('button', { name: 'Use this template' }).click();
  const form = mails.getByRole('form', { name: 'Write an e-mail' });
  await expect(form.getByRole('button', { name: `Remove ${address}` })).toBeVisible();
  await form.getByRole('textbox', { name: 'Subject' }).fill(subject);
  const text = form.getByRole('textbox', { name: 'Text' });

  // What the template left open is marked, and refused.
  await text.fill('Hello {{ name }}, please stop.');
  await form.getByRole('button', { name: 'Send', exact: true }).click();
  await expect(form.getByText('Fill the marked gap before sending.')).toBeVisible();
  await text.fill('Hello Julien, please stop.');
  await expect(form.getByText(/^Draft saved/)).toBeVisible();
  expect((await axe(page).analyze()).violations).toEqual([]);

  // Taken back from another page, the draft is there again, with its recipient.
  await form.getByRole('button', { name: 'Send', exact: true }).click();
  const bar = page.getByRole('region', { name: 'E-mail that is leaving' });
  await expect(bar).toContainText(found.domain);
  await page.goto('/terms');
  await bar.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('The e-mail was not sent; its draft is back.')).toBeVisible();
  await page.goto(`/action/${found.ID}`);
  await mails.getByRole('button', { name: 'Go on with the draft' }).click();
  await expect(text).toHaveValue('Hello Julien, please stop.');
  await expect(form.getByRole('button', { name: `Remove ${address}` })).toBeVisible();

  // Once it has left, the case is notified, without a reload.
  await text.press('Control+Enter');
  await expect(bar).toBeVisible();
  const own = mails.getByRole('button', { name: new RegExp(subject) });
  await expect(own).toContainText('accepted by the server', { timeout: LEAVES_MS });
  await expect(page.getByRole('main')).toContainText('Notified', { timeout: 30_000 });
  const caught = await mailTo(page.request, address, subject);
  expect(caught.text).toContain('Hello Julien, please stop.');

  // The reply is read when it was in sight, and waits for nobody afterwards.
  await answerAs(page, caught, 'reply');
  await expect
    .poll(async () => (await (await page.request.get(`/api/actions/detail/${found.ID}`)).json()).data.unreadCount, {
      timeout: 30_000,
    })
    .toBe(1);
  await page.goto(`/action/${found.ID}`);
  await expect(mails.getByRole('button', { name: /advertiser\.example.*unread|unread/, expanded: true })).toBeVisible();
  await expect(mails.getByText(/^Read by /)).toBeVisible();
  await mails.getByRole('button', { name: 'Mark as unread' }).click();
  await expect(mails.getByRole('button', { name: /unread/, expanded: false })).toBeVisible();

  // A bounce leaves nobody to write to.
  await answerAs(page, caught, 'hard-bounce');
  await expect
    .poll(
      async () => {
        const { data } = await (await page.request.get(`/api/actions/contacts?actionID=${found.ID}`)).json();
        return (data as { email: string; state: string }[]).find(({ email }) => email === address)?.state;
      },
      { timeout: 30_000 },
    )
    .toBe('bounced');
  await page.goto(`/action/${found.ID}`);
  await expect(own).toContainText('bounced');
  await expect(mails.getByText('No contact for this advertiser can be written to.')).toBeVisible();
  await mails.getByRole('button', { name: /^Contacts/ }).click();
  await expect(mails.getByRole('dialog', { name: 'Contacts' })).toContainText(/last bounce/);
});

test('is one page, in the frame of a case and alone, on a phone as on a desk', async ({ signedIn: page }) => {
  const address = `desk.${Date.now()}@advertiser.example`;
  const found = await requestedCase(page, 1, address);
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(`/action/operator/list/${found.ID}/embedded/true`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(found.domain);
    await expect(page.getByText('No e-mail yet.')).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect((await axe(page).analyze()).violations).toEqual([]);
  }
});
