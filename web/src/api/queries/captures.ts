import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';

export interface CaptureAddress {
  requestID: string;
  /** A hostname, or `none`. */
  domain: string;
  /** `ads`, `shopping` or `none`. */
  adstype: string;
}

/** A capture, and the position of the requested ad on its page. */
export const captureQuery = ({ requestID, ...query }: CaptureAddress) =>
  queryOptions({
    queryKey: ['capture', requestID, query],
    queryFn: ({ signal }) =>
      answer(client.GET('/api/result/{requestID}', { params: { path: { requestID }, query }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

export type CaptureResult = Awaited<ReturnType<NonNullable<ReturnType<typeof captureQuery>['queryFn']>>>['data'];

const captureFile = (requestID: string, file: string) => `/api/capture-iframe/${encodeURIComponent(requestID)}/${file}`;

/** The inert copy of a captured page, scrolled to one ad. */
export function pageAddress({ requestID, ...params }: CaptureAddress, ad: number | null | undefined): string {
  const query = new URLSearchParams({ page: '1', ...params });
  return `${captureFile(requestID, 'htmlContent')}?${query}${ad == null ? '' : `#ad-${ad}`}`;
}

/** The capture as one file with its hashes; needs a session that may see it. */
export const evidenceAddress = (requestID: string): string => `/api/captures/${encodeURIComponent(requestID)}/evidence`;

/** A picture of the captured page, by its original URL. */
export const productAddress = (requestID: string, image: string): string =>
  `${captureFile(requestID, 'product')}?${new URLSearchParams({ image })}`;

export const screenshotAddress = (requestID: string): string => captureFile(requestID, 'screenshot');
