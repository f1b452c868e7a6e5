import type { Page } from '@playwright/test';
import { expect } from './fixtures';

/** A capture with the ad that stands lowest on its page, as an administrator finds it. */
export interface Found {
  requestID: string;
  domain: string;
  adstype: string;
  /** Its mark in the page. */
  ad: number;
}

interface Ad {
  kind: string;
  domain: string;
  mark: number;
}

/** A capture from a desktop whose lowest text ad is the only one of its domain. */
export async function captureWithAds(page: Page): Promise<Found> {
  const { data } = await (await page.request.get('/api/captures?limit=100')).json();
  for (const { requestID, ads, device, state } of data) {
    if (state !== 'verified' || device !== 'desktop' || !(ads > 1)) continue;
    const { data: review } = await (await page.request.get(`/api/operations/reviews/${requestID}`)).json();
    const texts = (review.read as Ad[]).filter(({ kind, domain }) => kind === 'ads' && domain !== '');
    const lowest = texts.at(-1);
    if (lowest && texts.filter(({ domain }) => domain === lowest.domain).length === 1)
      return { requestID, domain: lowest.domain, adstype: 'ads', ad: lowest.mark };
  }
  throw new Error('no capture of this stack has two text ads');
}

/** The viewer's public address of an ad. */
export const publicAddress = ({ requestID, domain, adstype }: Found): string =>
  `/public-html-ad-content/${requestID}?domain=${domain}&adstype=${adstype}`;

/** Fails unless the ad is outlined and in sight in the frame. */
export async function expectOutlined(page: Page, ad: number): Promise<void> {
  const found = page.frameLocator('iframe').locator(`#ad-${ad}`);
  await expect(found).toHaveCSS('outline-style', 'solid');
  await expect(found).toBeInViewport({ ratio: 0.5 });
}
