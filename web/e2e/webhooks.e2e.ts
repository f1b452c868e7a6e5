import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { ask, expect, test } from './fixtures';

/** The receivers of docs/API.md, by language. */
const RECEIVERS = Object.fromEntries(
  [
    ...readFileSync(new URL('../../docs/API.md', import.meta.url), 'utf8').matchAll(
      /^```(\w+) webhook\n([\s\S]*?)^```$/gm,
    ),
  ].map(([, language = '', code = '']) => [language, code]),
);
const PROGRAMS: Record<string, [string, ...string[]]> = {
  python: ['python3', '-c'],
  javascript: ['node', '--input-type=module', '-e'],
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** Runs a receiver as the document has it; what it prints is collected. */
function receive(language: string, port: number, secret: string): { program: ChildProcess; printed(): string } {
  const [name, ...first] = PROGRAMS[language] ?? [''];
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
  const program = spawn(name, [...first, RECEIVERS[language] ?? ''], { env });
  let text = '';
  for (const stream of [program.stdout, program.stderr]) stream?.on('data', (part) => (text += part));
  return { program, printed: () => text };
}

for (const [lng, width, language, words] of [
  [
    'en',
    1440,
    'python',
    {
      account: /^Account of /,
      entry: 'edit profile',
      address: 'Address',
      wrong: 'is no https address of the public internet',
      changes: 'Every change of status of a case',
      make: 'Make a webhook',
      secret: 'The secret',
      done: 'Done',
      more: 'More for',
      test: 'Send a test',
      log: 'Messages',
      tested: 'A test',
      waits: 'Waits',
      taken: 'Taken',
      again: 'Send again: A test',
      switch: 'Send to',
      remove: 'Delete',
      removed: 'The webhook was deleted.',
    },
  ],
  [
    'fr',
    390,
    'javascript',
    {
      account: /^Compte de /,
      entry: 'modifier le profil',
      address: 'Adresse',
      wrong: "n'est pas une adresse https d'Internet public",
      changes: "Chaque changement de statut d'un dossier",
      make: 'Créer un webhook',
      secret: 'Le secret',
      done: 'Terminé',
      more: 'Plus pour',
      test: 'Envoyer un essai',
      log: 'Messages',
      tested: 'Un essai',
      waits: 'En attente',
      taken: 'Reçu',
      again: 'Renvoyer : Un essai',
      switch: 'Envoyer à',
      remove: 'Supprimer',
      removed: 'Le webhook a été supprimé.',
    },
  ],
] as const)
  test(`a webhook tells the receiver in ${language} of a case, in ${lng} at ${width} px`, async ({
    signedIn: page,
  }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/?lng=${lng}`);
    await page.getByRole('button', { name: words.account }).click();
    await page.getByRole('menuitem', { name: words.entry }).click();
    const dialog = page.getByRole('dialog').first();
    await dialog.getByRole('tab', { name: 'Webhooks' }).click();
    const address = dialog.getByLabel(words.address);
    await address.fill('https://user:secret@hooks.example/');
    await dialog.getByRole('button', { name: words.make }).click();
    await expect(dialog.getByText(words.wrong)).toBeVisible();

    const port = await freePort();
    await address.fill(`http://127.0.0.1:${port}/hook`);
    await dialog.getByLabel(words.changes).check();
    await dialog.getByRole('button', { name: words.make }).click();
    const secret = (await dialog.getByLabel(words.secret).textContent()) ?? '';
    expect(secret).toMatch(/^whsec_.{44}$/);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    await page.screenshot({ path: test.info().outputPath(`webhook-${lng}.png`) });
    await dialog.getByRole('button', { name: words.done }).click();
    await expect(dialog).not.toContainText(secret);

    // Its receiver is not there yet: what is told waits and comes again.
    const host = `127.0.0.1:${port}`;
    ask(
      "insert into action_history (action_id, status, at, is_automatic) select id, 'reappearance', now(), true from action where brand_id is not null order by id limit 1",
    );
    const menu = dialog.getByRole('button', { name: `${words.more} ${host}` });
    await menu.click();
    await page.getByRole('menuitem', { name: words.log }).click();
    const messages = dialog.getByRole('list').getByRole('listitem');
    // Other tests change cases, too.
    const refused = messages.filter({ hasText: 'onnection refused' });
    await expect.poll(() => refused.count()).toBeGreaterThanOrEqual(2);
    await expect(refused.first()).toContainText(words.waits);
    const { program, printed } = receive(language, port, secret);
    try {
      await expect
        .poll(() => messages.filter({ hasText: words.taken }).count(), { timeout: 90_000 })
        .toBeGreaterThanOrEqual(2);
      await expect.poll(printed).toMatch(/^msg_\w{32} (advertiser.relapsed|case.changed)$/m);
      await dialog.getByRole('button', { name: words.done }).click();

      await menu.click();
      await page.getByRole('menuitem', { name: words.test }).click();
      await expect.poll(printed, { timeout: 20_000 }).toContain('webhook.test');
      await menu.click();
      await page.getByRole('menuitem', { name: words.log }).click();
      const tested = messages.filter({ hasText: words.tested });
      await expect(tested).toContainText(words.taken);
      await page.screenshot({ path: test.info().outputPath(`webhook-log-${lng}.png`) });
      await tested.getByRole('button', { name: new RegExp(words.again.replace(' : ', '\\s: ')) }).click();
      await expect.poll(() => printed().match(/webhook\.test/g)?.length, { timeout: 20_000 }).toBe(2);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    } finally {
      program.kill();
    }
    await dialog.getByRole('button', { name: words.done }).click();

    const isOn = dialog.getByRole('switch', { name: `${words.switch} ${host}` });
    await isOn.press('Space');
    await expect(isOn).not.toBeChecked();
    await menu.click();
    await page.getByRole('menuitem', { name: words.remove }).click();
    await page.getByRole('dialog').last().getByRole('button', { name: words.remove, exact: true }).click();
    await expect(page.getByText(words.removed)).toBeVisible();
    await expect(dialog.getByText(host)).toHaveCount(0);
  });
