import { axe, expect, test } from './fixtures';

const WORDS = {
  en: {
    same: 'luxadepot.example: same advertiser',
    said: /They are one advertiser now/,
    back: /^Take back what was said/,
    evidence: 'Evidence',
    taken: 'It was taken back.',
  },
  fr: {
    same: 'luxadepot.example : même annonceur',
    said: /C'est désormais un seul annonceur/,
    back: /^Annuler ce qui a été dit/,
    evidence: 'Preuves',
    taken: "C'est annulé.",
  },
} as const;

// Both languages decide on the same domains.
test.describe.configure({ mode: 'serial' });

for (const [lng, width, scheme] of [
  ['en', 1440, 'light'],
  ['fr', 390, 'dark'],
] as const)
  test(`shows who is behind a domain, and lets a person decide, in ${lng} at ${width} px`, async ({
    signedIn: page,
  }) => {
    const words = WORDS[lng];
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    // Links are read when the stack starts, among the other jobs of the day.
    await expect(async () => {
      await page.goto(`/advertisers/group/www.nordmart.example?lng=${lng}`);
      await expect(page.getByRole('heading', { level: 1, name: 'nordmart.example' })).toBeVisible();
      await expect(page.getByRole('heading', { name: words.evidence })).toBeVisible({ timeout: 5_000 });
    }).toPass({ timeout: 60_000 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect((await axe(page).analyze()).violations).toEqual([]);
    await page.screenshot({ path: test.info().outputPath(`group-${lng}.png`), fullPage: true });

    await page.getByRole('button', { name: words.same }).press('Enter');
    await expect(page.getByText(words.said)).toBeVisible();
    await expect(page.getByRole('button', { name: words.same })).toHaveCount(0);
    await page.screenshot({ path: test.info().outputPath(`group-${lng}-decided.png`), fullPage: true });
    await page.getByRole('button', { name: words.back }).first().click();
    await expect(page.getByText(words.taken)).toBeVisible();
    await expect(page.getByRole('button', { name: words.same })).toBeVisible();
  });

test('a domain without ads says so', async ({ signedIn: page }) => {
  await page.goto('/advertisers/group/nobody.example?lng=en');
  await expect(page.getByText('No ads to look at.')).toBeVisible();
});
