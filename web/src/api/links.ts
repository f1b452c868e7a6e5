import { answer, client, fetchWithDeadline, WRITE_HEADERS } from './client';
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

interface Paged {
  links: { next?: string | null; prev?: string | null };
}

/** Links that are remembered: more than one can turn to before they are old. */
const MOST_LINKS = 100;

/** Where answers said that their neighbours are, by the question each stands for; the oldest go first. */
const neighbours = new Map<string, string>();

function remember(question: string, link: string | null | undefined): void {
  neighbours.delete(question);
  if (link) neighbours.set(question, link);
  const [oldest] = neighbours.keys();
  if (neighbours.size > MOST_LINKS && oldest !== undefined) neighbours.delete(oldest);
}

/** Turns to a page of a list: by the link that the page before or after it neighbours, else by `ask`. `question` names the list and one of its pages. */
export async function turnTo<Answer extends Paged>(
  page: number,
  question: (page: number) => string,
  ask: () => Promise<Answer>,
  signal: AbortSignal,
): Promise<Answer> {
  const href = neighbours.get(question(page));
  const answer = href ? ((await follow({ method: 'GET', href }, signal)) as Answer) : await ask();
  remember(question(page + 1), answer.links.next);
  remember(question(page - 1), answer.links.prev);
  return answer;
}

/** How a file is written. */
export type FileFormat = 'csv' | 'xlsx';

/** The address of a file that a link of an answer leads to, with a ticket that works once and for two minutes. */
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
