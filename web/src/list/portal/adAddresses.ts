import type { Ad } from '~/api/queries/ads';

const captureQuery = ({ domain, type }: Ad): string => new URLSearchParams({ domain, adstype: type }).toString();

/** The page of the capture that shows an ad. */
export const capturePage = (ad: Ad): string => `/terms/capture/${encodeURIComponent(ad.resultId)}?${captureQuery(ad)}`;

/** The address of that capture for people without an account. */
export const publicPage = (ad: Ad): string =>
  `${window.location.origin}/public-html-ad-content/${encodeURIComponent(ad.resultId)}?${captureQuery(ad)}`;

/** An address that may be opened, only http(s). The server never sends the engine's click-counting addresses, which cost the advertiser money. */
export const safeUrl = (address: string): string | undefined => (/^https?:\/\//i.test(address) ? address : undefined);
