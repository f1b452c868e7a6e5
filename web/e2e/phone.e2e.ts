import type { Page } from '@playwright/test';
import { captureWithAds } from './captures';
import { expect, test } from './fixtures';

test.use({ viewport: { width: 390, height: 844 } });

/** The words of controls that their boxes cut. What scrolls sideways by itself is not cut. */
const cut = (page: Page) =>
  page
    .getByRole('main')
    .evaluate((main) =>
      [...main.querySelectorAll<HTMLElement>('button, a, label, button *, label *')]
        .filter(({ clientWidth, scrollWidth }) => clientWidth > 1 && scrollWidth > clientWidth)
        .map(({ textContent }) => textContent),
    );

for (const language of ['en', 'fr'])
  test(`has every screen as wide as the window, and its controls whole, in ${language}`, async ({ signedIn: page }) => {
    test.setTimeout(240_000);
    const { requestID } = await captureWithAds(page);
    for (const path of [
      '/',
      `/terms/capture/${requestID}`,
      '/operations',
      '/alerts',
      '/unmatched-mails',
      '/mail-runs',
      '/mail-templates',
      '/google-connect',
      '/users',
      '/users/create',
      '/brands',
      '/company-account',
      '/start',
      '/tags',
      '/terms-management',
      '/actions',
      '/todo',
      '/help',
      '/help/cases',
    ]) {
      await page.goto(`${path}?lng=${language}`);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBe(390);
      expect(await cut(page), path).toEqual([]);
      for (const control of await page.getByRole('main').getByRole('radiogroup').all()) {
        const { right, inner } = await control.evaluate((group) => ({
          right: group.getBoundingClientRect().right,
          inner: Math.max(...[...group.querySelectorAll('label')].map((label) => label.getBoundingClientRect().right)),
        }));
        expect(inner, path).toBeLessThanOrEqual(right);
        expect(right, path).toBeLessThanOrEqual(390);
      }
      const buttons = page.getByRole('main').getByRole('button');
      const rights = await buttons.evaluateAll((all) => all.map((button) => button.getBoundingClientRect().right));
      expect(Math.max(0, ...rights), path).toBeLessThan(391);
    }
  });
