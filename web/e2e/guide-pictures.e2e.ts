import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { captureWithAds } from './captures';
import { domainsAddress, expect, rowsShown, test } from './fixtures';
import { smallPng } from './smallPng';

/** Takes the pictures of the guide (VIGIE_GUIDE_PICTURES=1). They are not compared, since their dates and figures are those of the day. */

const FOLDER = join(import.meta.dirname, '../../docs/guide/images');

/** The shape that the guide gives its pictures, which spares the page from moving when they arrive. */
test.use({ viewport: { width: 1200, height: 750 }, colorScheme: 'light' });

const cards = (page: Page) => expect(page.getByRole('article').first()).toBeVisible();

/** The id of the case with most mails. */
async function writtenCase(page: Page): Promise<number> {
  const query = new URLSearchParams({ sortBy: '-domain', 'page[size]': '500' });
  for (const status of ['accepted', 'inprogress', 'reminded']) query.append('status[]', status);
  const { data } = await (await page.request.get(`/api/actions?${query}`)).json();
  const cases = data as { ID: number; sendedCount: number; unreadCount: number }[];
  // Mails that others have made up for their tests are unread.
  const written = cases.filter(({ sendedCount, unreadCount }) => sendedCount > 0 && unreadCount === 0);
  const [most] = written.sort((a, b) => b.sendedCount - a.sendedCount);
  if (!most) throw new Error('no case of this stack was written to');
  return most.ID;
}

interface Picture {
  name: string;
  path: string | ((page: Page) => Promise<string>);
  /** Waits until what the picture is of is there. */
  ready: (page: Page) => Promise<void>;
}

const PICTURES: readonly Picture[] = [
  { name: 'home', path: '/', ready: (page) => expect(page.getByRole('figure')).toBeVisible() },
  { name: 'domains', path: domainsAddress(), ready: rowsShown },
  { name: 'tags', path: '/tags', ready: rowsShown },
  { name: 'terms', path: '/terms-management', ready: rowsShown },
  { name: 'brands', path: '/brands', ready: rowsShown },
  { name: 'users', path: '/users', ready: rowsShown },
  { name: 'actions', path: '/actions', ready: cards },
  {
    name: 'case',
    path: async (page) => `/action/${await writtenCase(page)}`,
    ready: (page) => expect(page.locator('iframe').first()).toBeVisible(),
  },
  {
    name: 'mails',
    path: async (page) => `/action/operator/list/${await writtenCase(page)}/embedded/true`,
    ready: cards,
  },
  {
    name: 'templates',
    path: '/mail-templates',
    ready: (page) => expect(page.getByRole('main').getByRole('textbox').first()).toBeVisible(),
  },
  {
    name: 'start',
    path: '/start',
    ready: (page) => expect(page.getByRole('main').getByRole('listitem').first()).toBeVisible(),
  },
  {
    name: 'capture',
    path: async (page) => {
      const { requestID, domain, adstype } = await captureWithAds(page);
      return `/terms/capture/${requestID}?domain=${domain}&adstype=${adstype}`;
    },
    ready: (page) => expect(page.locator('iframe')).toBeVisible(),
  },
  {
    name: 'comparator',
    path: '/comparator',
    ready: (page) => expect(page.getByRole('figure').locator('svg').first()).toBeVisible(),
  },
  {
    name: 'group',
    path: '/advertisers/group/nordmart.example',
    ready: (page) => expect(page.getByRole('button', { pressed: true }).first()).toBeVisible(),
  },
  {
    name: 'operations',
    path: '/operations?kind=failed',
    ready: (page) => expect(page.getByRole('figure').first()).toBeVisible(),
  },
];

for (const language of ['en', 'fr'])
  for (const { name, path, ready } of PICTURES)
    test(`takes the picture of ${name} in ${language}`, async ({ signedIn: page }) => {
      const address = typeof path === 'string' ? path : await path(page);
      await page.goto(`${address}${address.includes('?') ? '&' : '?'}lng=${language}`);
      await ready(page);
      await page.waitForLoadState('networkidle');
      await mkdir(join(FOLDER, language), { recursive: true });
      const picture = await page.screenshot({ animations: 'disabled' });
      await writeFile(join(FOLDER, language, `${name}.png`), smallPng(picture));
    });
