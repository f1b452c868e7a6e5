import { answer, client, fetchWithDeadline, WRITE_HEADERS } from './client';
import { errorOf } from './errors';

/** A HATEOAS link of the server. */
export interface ServerLink {
  method: string;
  href: string;
}

/** Whether a link leads to this server's API. */
export const isApiLink = (href: string): boolean => {
  const url = new URL(href, window.location.origin);
  return url.origin === window.location.origin && url.pathname.startsWith('/api/');
};

interface CallOptions {
  signal?: AbortSignal;
  /** Sent as JSON. */
  body?: object | undefined;
}

/**
 * Calls a link and returns its JSON body, undefined without one. Throws an `ApiError` when the call fails, and another error, without a call,
 * for a link that does not lead to this server's API.
 */
export async function follow({ method, href }: ServerLink, { signal, body }: CallOptions = {}): Promise<unknown> {
  if (!isApiLink(href)) throw new Error(`not a link of this server: ${href}`);
  const url = new URL(href, window.location.origin);
  const response = await fetchWithDeadline(
    new Request(url, {
      method,
      headers: { ...WRITE_HEADERS, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }),
  );
  const answered: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw errorOf(response, answered);
  return answered;
}

interface Paged {
  links: { next?: string | null; prev?: string | null };
}

/** Links kept at most. */
const MAX_LINKS = 100;

/** Links of answers to their neighbouring pages, by `keyOf` of that page; the oldest are dropped first. */
const neighbours = new Map<string, string>();

function remember(key: string, link: string | null | undefined): void {
  neighbours.delete(key);
  if (link) neighbours.set(key, link);
  const [oldest] = neighbours.keys();
  if (neighbours.size > MAX_LINKS && oldest !== undefined) neighbours.delete(oldest);
}

/**
 * Fetches a page of a list by the cursor link of a neighbouring page, or else by `fetchByNumber`, and remembers the answer's links to its own
 * neighbours. `keyOf` identifies the list and a page.
 */
export async function fetchPage<Answer extends Paged>(
  page: number,
  keyOf: (page: number) => string,
  fetchByNumber: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const href = neighbours.get(keyOf(page));
  const answer = href ? ((await follow({ method: 'GET', href }, { signal })) as Answer) : await fetchByNumber();
  remember(keyOf(page + 1), answer.links.next);
  remember(keyOf(page - 1), answer.links.prev);
  return answer;
}

/** Formats of exported files. */
export type FileFormat = 'csv' | 'xlsx';

/**
 * The path and query that download an export link in a format and language. Requests a single-use ticket for it, valid for two minutes;
 * throws an `ApiError` when there is none.
 */
export async function exportAddress(href: string, format: FileFormat, language: string): Promise<string> {
  const link = new URL(href, window.location.origin);
  link.searchParams.set('format', format);
  link.searchParams.set('lng', language);
  const { access_token } = await answer(
    client.POST('/api/exportTickets', { body: { link: link.pathname + link.search } }),
  );
  link.searchParams.set('access_token', access_token);
  return link.pathname + link.search;
}
