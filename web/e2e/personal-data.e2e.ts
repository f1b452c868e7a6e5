import { requestedCase } from './caseMails';
import { axe, expect, test } from './fixtures';

for (const [language, width, height, share, words] of [
  [
    'en',
    1440,
    900,
    12,
    {
      address: 'E-mail address',
      export: 'Export',
      erase: 'Erase',
      sure: 'Yes, erase it for good',
      one: 'Contacts deleted: 1',
    },
  ],
  [
    'fr',
    390,
    844,
    13,
    {
      address: 'Adresse e-mail',
      export: 'Exporter',
      erase: 'Effacer',
      sure: 'Oui, effacer définitivement',
      one: 'Contacts supprimés : 1',
    },
  ],
] as const)
  test(`exports and erases what is stored of an address, in ${language} at ${width} px`, async ({ signedIn: page }) => {
    await page.setViewportSize({ width, height });
    const address = `forget.${language}.${Date.now()}@advertiser.example`;
    await requestedCase(page, share, address);
    await page.goto(`/operations?tab=privacy&lng=${language}`);
    const panel = page.getByRole('tabpanel');
    const field = panel.getByRole('textbox', { name: words.address });

    // Nothing is done with what is no address.
    await field.fill('nobody');
    await expect(panel.getByRole('button', { name: words.erase })).toBeDisabled();
    await field.fill(address);
    const downloading = page.waitForEvent('download');
    await panel.getByText(words.export, { exact: true }).click();
    expect(await (await downloading).failure()).toBeNull();

    await panel.getByRole('button', { name: words.erase }).click();
    const question = page.getByRole('dialog');
    await expect(question).toContainText(address);
    await expect(question.getByRole('button', { name: words.erase, exact: true })).toBeDisabled();
    expect((await axe(page).include('[role="dialog"]').analyze()).violations).toEqual([]);
    await question.getByRole('checkbox', { name: words.sure }).check();
    await question.getByRole('button', { name: words.erase, exact: true }).click();
    await expect(panel.getByRole('status')).toContainText(address);
    await expect(panel.getByRole('status')).toContainText(words.one);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
  });
