import { axe, expect, test } from './fixtures';

const WORDS = {
  en: { title: 'Comparator', found: /products? offered below your price/, capture: 'See the capture', per: /below$/ },
  fr: {
    title: 'Comparateur',
    found: /produits? proposés? sous votre prix/,
    capture: 'Voir la capture',
    per: /en dessous$/,
  },
} as const;

for (const [lng, width, scheme] of [
  ['en', 1440, 'light'],
  ['fr', 390, 'dark'],
] as const)
  test(`shows whose prices are below the brand's own, in ${lng} at ${width} px`, async ({ signedIn: page }) => {
    const words = WORDS[lng];
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/comparator?lng=${lng}&days=30`);
    await expect(page.getByRole('heading', { level: 1, name: words.title })).toBeVisible();
    await expect(page.getByText(words.found)).toBeVisible();
    const first = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.getByRole('button') })
      .first();
    await expect(first.getByRole('button')).toHaveAttribute('aria-expanded', 'true');
    await expect(first.getByRole('figure').locator('svg').first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect((await axe(page).analyze()).violations).toEqual([]);
    await page.screenshot({ path: test.info().outputPath(`comparator-${lng}.png`), fullPage: true });

    await first.getByRole('button').press('Enter');
    await expect(first.getByRole('figure')).toBeHidden();
    await first.getByRole('button').press('Enter');
    await first.getByRole('link', { name: words.capture }).first().click();
    await expect(page).toHaveURL(/\/terms\/capture\/[0-9a-f-]{36}/);
  });

test('an address that says nonsense shows the usual period', async ({ signedIn: page }) => {
  await page.goto('/comparator?lng=en&days=nonsense&page=-3&brandID=x');
  await expect(page.getByRole('radio', { name: '30 days' })).toBeChecked();
});
