import { execFileSync } from 'node:child_process';
import AxeBuilder from '@axe-core/playwright';
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test';

/** A variable the tests cannot do without; `vigie up` prints its value. */
function required(name: 'VIGIE_URL' | 'VIGIE_EMAIL' | 'VIGIE_PASSWORD'): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`set VIGIE_URL, VIGIE_EMAIL and VIGIE_PASSWORD as printed by 'vigie up': ${name} is missing`);
  return value;
}

/** What requests that write carry, without a body of their own. */
export const WRITES = { headers: { 'X-Requested-With': 'XMLHttpRequest' }, data: {} };

export const EMAIL = required('VIGIE_EMAIL');
export const PASSWORD = required('VIGIE_PASSWORD');
required('VIGIE_URL');

const DATABASE = process.env.VIGIE__POSTGRES__URL ?? '';

/** Runs statements in the database of the stack, and returns what the last one says. */
export const ask = (statement: string): string =>
  execFileSync('psql', ['-qAt', '-v', 'ON_ERROR_STOP=1', DATABASE, '-c', statement], { encoding: 'utf8' }).trim();

const USUAL_VIEWS = [
  { lng: 'en', width: 1440 },
  { lng: 'fr', width: 390 },
] as const;

/** Languages and widths of the window, each of both at least once; every language at every width where the whole is asked for (`make test-whole`). */
export const VIEWS = process.env.VIGIE_TESTS_WHOLE
  ? [...USUAL_VIEWS, { lng: 'en', width: 390 } as const, { lng: 'fr', width: 1440 } as const]
  : USUAL_VIEWS;

/** Fills the sign-in form in English and sends it. */
export async function fillLogin(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The address of the Domains list, with the last days to look at and no brand: what any stack with captures can show. */
export function domainsAddress(extra: Record<string, unknown> = {}): string {
  const day = 86_400_000;
  const value = { start: new Date(Date.now() - 60 * day).toISOString(), end: new Date(Date.now() + day).toISOString() };
  const keys = {
    page: 1,
    perPage: 30,
    order: 'nbViews',
    direction: 'DESC',
    date: { type: 'between', value },
    ...extra,
  };
  const query = new URLSearchParams(Object.entries(keys).map(([key, of]) => [key, JSON.stringify(of)]));
  return `/domains?${query}`;
}

/** The domains of the rows in sight, in their order. */
export const shownDomains = (page: Page): Promise<string[]> =>
  page
    .getByRole('gridcell')
    .getByRole('link', { name: /^(?:Open|Ouvrir) / })
    .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).hostname));

/** The rules that every screen keeps, as axe tags them. */
const ACCESSIBILITY = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/**
 * A check of a page and its frames, for violations alone. A page that is a single frame needs no second page to join results in, which takes half of the
 * time; the way without one would not look into frames of other origins, as dashboards of others are.
 */
export const axe = (page: Page): AxeBuilder =>
  new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .withTags(ACCESSIBILITY)
    .setLegacyMode(page.frames().length === 1);

/** Waits until the list has its rows. */
export async function rowsShown(page: Page): Promise<void> {
  await expect(page.getByRole('gridcell').first()).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

interface Visitors {
  /** A page that is signed in, by a request, and that nothing is open in yet. */
  signedIn: Page;
  /** Opens the page of a visitor with a browser of their own, closed after the test: pages that stay open go on asking. */
  visitor(locale?: string): Promise<Page>;
}

export const test = base.extend<Visitors>({
  visitor: async ({ browser }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (locale = 'en-GB') => {
      const context = await browser.newContext({ locale });
      contexts.push(context);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
  },
  signedIn: async ({ page }, use) => {
    const { headers } = WRITES;
    const answer = await page.request.post('/api/UserAccounts/login', {
      headers,
      data: { email: EMAIL, password: PASSWORD },
    });
    expect(answer.status(), await answer.text()).toBe(200);
    // A pointer that has never moved on this site lies in the corner, over the menu, which opens under it.
    await page.goto('/favicon.svg');
    await page.mouse.move(1_080, 560);
    await use(page);
  },
});

export { expect };
