import type { Page } from '@playwright/test';
import { captureWithAds, publicAddress } from './captures';
import { axe, domainsAddress, expect, rowsShown, test, WRITES } from './fixtures';

/** With `over`, the sizes of targets are those of what lies there over the page: the rest is covered in part and comes free by a scroll. */
async function expectNoViolations(page: Page, over?: string): Promise<void> {
  // Captured pages are shown as they were; what is wrong on them is others'.
  const screen = () => axe(page).exclude('iframe');
  const checks = over ? [screen().disableRules('target-size'), screen().include(over)] : [screen()];
  for (const check of checks) {
    const { violations } = await check.analyze();
    expect(violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html).slice(0, 3) }))).toEqual([]);
  }
}

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in ${colorScheme} colours`, () => {
    test.use({ colorScheme });

    test('sign-in has no violation', async ({ page }) => {
      await page.goto('/login');
      await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
      await expectNoViolations(page);
    });

    test('/forgot and /reset have no violation', async ({ page }) => {
      await page.goto('/forgot');
      await page.getByRole('button', { name: 'Send me the link' }).click();
      await expect(page.getByText('The email is required')).toBeVisible();
      await expectNoViolations(page);
      await page.goto('/reset#no-such-link');
      await page.getByRole('textbox', { name: 'New password', exact: true }).fill('Vigie-2');
      await page.getByRole('textbox', { name: 'Confirm the new password' }).fill('x');
      await expect(page.getByText('The passwords do not match')).toBeVisible();
      await expectNoViolations(page);
    });

    test('the profile has no violation', async ({ signedIn: page }) => {
      await page.goto('/');
      await page.getByRole('button', { name: /^Account of / }).click();
      await page.getByRole('menuitem', { name: 'edit profile' }).click();
      const dialog = page.getByRole('dialog', { name: 'Edit profile' });
      await expect(dialog.getByLabel('First name')).toBeVisible();
      await expectNoViolations(page);
      for (const tab of ['Password', 'Sessions']) {
        await dialog.getByRole('tab', { name: tab }).click();
        await expect(dialog.getByRole('tabpanel', { name: tab })).toBeVisible();
        await expect(dialog.getByRole('list')).toBeVisible();
        await expectNoViolations(page);
      }
      await dialog.getByRole('tab', { name: 'API keys' }).click();
      await expect(dialog.getByLabel('Name')).toBeVisible();
      await expectNoViolations(page);
      await dialog.getByRole('tab', { name: 'Webhooks' }).click();
      await expect(dialog.getByLabel('Address')).toBeVisible();
      await expectNoViolations(page);
    });

    test("alerts, received e-mails and today's run have no violation", async ({ signedIn: page }) => {
      await page.goto('/alerts');
      await page.getByRole('main').getByRole('button', { name: 'New alert' }).click();
      await expect(page.getByRole('dialog').getByText(/^Next e-mail/)).toBeVisible();
      await expectNoViolations(page);
      for (const path of ['/unmatched-mails', '/mail-runs']) {
        await page.goto(path);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await expect(page.locator('.mantine-Loader-root')).toHaveCount(0);
        await expectNoViolations(page);
      }
    });

    test('the popup of the user has no violation', async ({ signedIn: page }) => {
      await page.goto('/');
      await page.getByRole('button', { name: /^Account of / }).click();
      await expect(page.getByRole('menuitem', { name: 'edit profile' })).toBeVisible();
      await expectNoViolations(page);
    });

    test('the cards of a phone, what orders them and what is done with some have no violation', async ({
      signedIn: page,
    }) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(domainsAddress());
      await page
        .getByRole('checkbox', { name: /^Select / })
        .nth(1)
        .click();
      await expect(page.getByRole('toolbar', { name: '1 row selected' })).toBeInViewport();
      await expectNoViolations(page, '[role="toolbar"]');
      await page.getByRole('button', { name: 'Sort: Views' }).click();
      await expect(page.getByRole('menuitem', { name: 'Domain, ascending' })).toBeVisible();
      await expectNoViolations(page, '[role="menu"]');
    });

    test('the window of tags and the ads under a row have no violation', async ({ signedIn: page }) => {
      await page.goto(domainsAddress());
      await rowsShown(page);
      await page
        .getByRole('button', { name: /^Edit the tags of / })
        .first()
        .click();
      await page.getByRole('dialog').getByRole('textbox', { name: 'Add a tag' }).click();
      await expect(page.getByRole('listbox').first()).toBeVisible();
      await expectNoViolations(page);
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await page
        .getByRole('button', { name: /^Show the ads of / })
        .first()
        .click();
      await expect(
        page
          .getByRole('region', { name: /^Ads of / })
          .getByRole('table')
          .first(),
      ).toBeVisible();
      await expectNoViolations(page);
    });

    test('/404 has no violation', async ({ page }) => {
      await page.goto('/404');
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expectNoViolations(page);
    });

    test('home has no violation', async ({ signedIn: page }) => {
      await page.goto('/');
      await expect(page.getByRole('figure', { name: /views? by .* advertisers/ })).toBeVisible();
      await page.getByText('Figures by day').click();
      await expectNoViolations(page);
    });

    test('Domains has no violation', async ({ signedIn: page }) => {
      await page.goto(domainsAddress());
      await rowsShown(page);
      await expectNoViolations(page);
    });

    test('the cards of Actions and To do have no violation', async ({ signedIn: page }) => {
      await page.goto('/actions');
      await expect(page.getByRole('article').first()).toBeVisible();
      await page.keyboard.press('j');
      await page.keyboard.press('x');
      await expect(page.getByRole('toolbar', { name: '1 row selected' })).toBeInViewport();
      await expectNoViolations(page, '[role="toolbar"]');
      await page.keyboard.press('Escape');
      await expectNoViolations(page);
      await page.getByRole('button', { name: 'Compact cards' }).click();
      await expectNoViolations(page);
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
      await expectNoViolations(page);
      await page.goto('/todo');
      await expect(page.getByRole('article').first()).toBeVisible();
      await expectNoViolations(page);
    });

    test('the panel of filters has no violation', async ({ signedIn: page }) => {
      await page.goto(domainsAddress());
      await rowsShown(page);
      await page.getByRole('button', { name: /^Filters/ }).click();
      await expect(page.getByRole('dialog', { name: 'Filters' }).getByText('Ad description')).toBeVisible();
      await expectNoViolations(page);
    });

    test('the popups of Domains have no violation', async ({ signedIn: page }) => {
      await page.goto(domainsAddress());
      await rowsShown(page);
      await page.getByRole('button', { name: 'Columns' }).click();
      await expect(page.getByRole('checkbox', { name: 'Tags' })).toBeVisible();
      await expectNoViolations(page);
      await page.keyboard.press('Escape');
      const quick = page.getByRole('group', { name: 'Quick filters' });
      await quick.getByRole('button', { name: 'Last detection date' }).click();
      await expect(page.getByRole('button', { name: 'last 30 days' })).toBeVisible();
      await expectNoViolations(page);
    });

    test('the capture viewer has no violation, nor its panel for what is not found', async ({ signedIn: page }) => {
      await page.goto(publicAddress(await captureWithAds(page)));
      await expect(page.locator('iframe')).toBeVisible();
      await expectNoViolations(page);
      await page.goto('/public-html-ad-content/nope');
      await expect(page.getByText('not found', { exact: true })).toBeVisible();
      await expectNoViolations(page);
    });

    test('the sections of Operations have no violation, nor its dialog', async ({ signedIn: page }) => {
      await page.goto('/operations?kind=failed');
      await page.getByRole('list', { name: 'Captures' }).getByRole('button').first().click();
      await expect(page.getByRole('region', { name: 'What was read' })).toBeVisible();
      await expectNoViolations(page);
      await page.getByRole('tab', { name: 'Capacity' }).click();
      await page.getByText('Every hour in figures').click();
      await expectNoViolations(page);
      await page.getByRole('tab', { name: 'Schedules' }).click();
      await expect(page.getByRole('region', { name: 'Schedules' })).toBeVisible();
      await expectNoViolations(page);
      await page.getByRole('button', { name: 'Pause' }).first().click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await expectNoViolations(page);
    });

    test('Users, its menu and its form have no violation', async ({ signedIn: page }) => {
      await page.goto('/users');
      await rowsShown(page);
      await page
        .getByRole('button', { name: /^What to do with / })
        .last()
        .click();
      await expect(page.getByRole('menuitem', { name: 'Delete user' })).toBeVisible();
      await expectNoViolations(page, '[role="menu"]');
      await page.getByRole('menuitem', { name: 'Delete user' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await expectNoViolations(page);
      await page.goto('/users/create');
      await page.getByRole('button', { name: 'Save' }).click();
      await expect(page.getByText('The email is required')).toBeVisible();
      await expectNoViolations(page);
    });

    test('Company accounts and its form have no violation', async ({ signedIn: page }) => {
      await page.goto('/company-account');
      await rowsShown(page);
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await expectNoViolations(page);
    });

    test('the guided start has no violation', async ({ signedIn: page }) => {
      await page.goto('/start');
      await expect(page.getByRole('listitem').filter({ hasText: 'Official domains' })).toBeVisible();
      await expectNoViolations(page);
    });

    test('Tags, its menu and its form have no violation', async ({ signedIn: page }) => {
      await page.goto('/tags?page=1&order=label&direction=ASC');
      await rowsShown(page);
      await expectNoViolations(page);
      await page.getByRole('button', { name: 'Create tag' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
      await expect(page.getByText('1 errors found')).toBeVisible();
      await expectNoViolations(page);
    });

    test('Tags on a phone has no violation', async ({ signedIn: page }) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto('/tags');
      await expect(page.getByRole('article').first()).toBeVisible();
      await expectNoViolations(page);
    });

    test('Brands, its form and the window of official domains have no violation', async ({ signedIn: page }) => {
      await page.goto('/brands');
      await rowsShown(page);
      await expectNoViolations(page);
      await page.getByRole('button', { name: 'Create a brand' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
      await expect(page.getByText('The name is required')).toBeVisible();
      await expectNoViolations(page);
      await page.keyboard.press('Escape');
      await page
        .getByRole('button', { name: /^What to do with / })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Official domains' }).click();
      await expect(page.getByRole('combobox', { name: 'Domains' })).toBeVisible();
      await expectNoViolations(page);
    });

    test('Setting terms, its menu and its forms have no violation', async ({ signedIn: page }) => {
      await page.goto('/terms-management');
      await rowsShown(page);
      await expectNoViolations(page);
      await page.getByRole('button', { name: 'Add terms' }).click();
      await expect(page.getByRole('dialog', { name: 'Add terms' })).toBeVisible();
      await expectNoViolations(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
      await page
        .getByRole('button', { name: /^What to do with / })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Frequency' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await expectNoViolations(page);
    });

    test('deleted terms and the trail of a term have no violation', async ({ signedIn: page }) => {
      const term = { term: `deleted ${colorScheme} ${Date.now()}`, state: 'disabled' };
      const made = await page.request.post('/api/Terms', { ...WRITES, data: term });
      await page.request.delete(`/api/Terms/${(await made.json()).id}`, WRITES);
      await page.goto('/terms-management');
      await rowsShown(page);
      await page.getByRole('button', { name: 'Deleted', exact: true }).click();
      await page.getByRole('checkbox', { name: term.term }).check();
      await expectNoViolations(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).click();
      await page
        .getByRole('button', { name: /^What to do with / })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Trail' }).click();
      await expect(page.getByRole('dialog', { name: /^Trail of / })).toBeVisible();
      await expectNoViolations(page);
    });

    test('the guide has no violation, on a phone neither', async ({ signedIn: page }) => {
      await page.goto('/help');
      await expect(page.getByRole('heading', { level: 1, name: 'User guide' })).toBeVisible();
      await expectNoViolations(page);
      await page.goto('/help/cases');
      await expect(page.getByRole('heading', { level: 1, name: 'Cases' })).toBeVisible();
      await expectNoViolations(page);
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByText('Pages of the guide').click();
      const pages = page.getByRole('navigation', { name: 'Pages of the guide' });
      await expect(pages.getByRole('link', { name: 'Tags' })).toBeVisible();
      await expectNoViolations(page);
    });

    test('Operations on a phone has no violation', async ({ signedIn: page }) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto('/operations?tab=schedules');
      await expect(page.getByRole('region', { name: 'Schedules' })).toBeVisible();
      await expectNoViolations(page);
    });

    test('Domains on a phone has no violation, its menu neither', async ({ signedIn: page }) => {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(domainsAddress());
      await expect(page.getByRole('article').first()).toBeVisible();
      await expectNoViolations(page);
      await page.getByRole('button', { name: 'Open the menu' }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await expectNoViolations(page);
    });
  });
}
