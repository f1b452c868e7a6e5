import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';

export interface CaptureAddress {
  requestID: string;
  /** A hostname, or `none`. */
  domain: string;
  /** `ads`, `shopping` or `none`. */
  adstype: string;
}

/** A capture, and where the ad looked for stands on its page. */
export const captureQuery = ({ requestID, ...query }: CaptureAddress) =>
  queryOptions({
    queryKey: ['capture', requestID, query],
    queryFn: ({ signal }) =>
      answer(client.GET('/api/result/{requestID}', { params: { path: { requestID }, query }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export type CaptureResult = Awaited<ReturnType<NonNullable<ReturnType<typeof captureQuery>['queryFn']>>>['data'];

const kept = (requestID: string, file: string) => `/api/capture-iframe/${encodeURIComponent(requestID)}/${file}`;

/** The inert copy of a captured page, scrolled to one ad. */
export function pageAddress({ requestID, ...sought }: CaptureAddress, ad: number | null | undefined): string {
  const query = new URLSearchParams({ page: '1', ...sought });
  return `${kept(requestID, 'htmlContent')}?${query}${ad == null ? '' : `#ad-${ad}`}`;
}

/** The capture as one file with its hashes, for those who are signed in and see it. */
export const evidenceAddress = (requestID: string): string => `/api/captures/${encodeURIComponent(requestID)}/evidence`;

/** A picture on the captured page, by where the page had it from. */
export const productAddress = (requestID: string, image: string): string =>
  `${kept(requestID, 'product')}?${new URLSearchParams({ image })}`;

export const screenshotAddress = (requestID: string): string => kept(requestID, 'screenshot');
