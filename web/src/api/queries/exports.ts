import { answer, client } from '../client';

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
