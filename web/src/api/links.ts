import { fetchWithDeadline, WRITE_HEADERS } from './client';
import { errorOf } from './errors';

/** A call that the server offers. */
export interface ServerLink {
  method: string;
  href: string;
}

/** Whether a link of an answer stays on this server's API. */
export const isApiLink = (href: string): boolean => {
  const url = new URL(href, window.location.origin);
  return url.origin === window.location.origin && url.pathname.startsWith('/api/');
};

/** Makes the call that a link stands for, and answers its body. One that leads elsewhere is not followed. */
export async function follow({ method, href }: ServerLink, signal?: AbortSignal): Promise<unknown> {
  if (!isApiLink(href)) throw new Error(`not a link of this server: ${href}`);
  const url = new URL(href, window.location.origin);
  const response = await fetchWithDeadline(
    new Request(url, { method, headers: WRITE_HEADERS, ...(signal && { signal }) }),
  );
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw errorOf(response, body);
  return body;
}
