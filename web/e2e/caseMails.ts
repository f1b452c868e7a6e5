import { expect, type FrameLocator, type Page } from '@playwright/test';
import { WRITES } from './fixtures';
import { type Mail, mailPage } from './mails';

/** How long a mail may take from its 15 s of waiting to the mail server. */
export const LEAVES_MS = 60_000;

export interface FoundCase {
  ID: number;
  domain: string;
  country: string;
}

export const post = async (page: Page, path: string, data: object) => {
  const answer = await page.request.post(`/api/actions/${path}`, { ...WRITES, data });
  expect(answer.ok(), await answer.text()).toBe(true);
  return answer.json();
};

/** Tests that take a new case, each with a share of the domains of its own, as cases of one domain have the same contacts. */
const SHARES = 20;

const shareOf = (domain: string) => [...domain].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % SHARES;

/** A new case of this share; an address of the test is the only one that can be written to. */
export async function newCase(page: Page, share: number, address: string): Promise<FoundCase> {
  const query = new URLSearchParams({ 'status[]': 'new', sortBy: '-domain', 'page[size]': '500' });
  const { data } = await (await page.request.get(`/api/actions?${query}`)).json();
  const found = (data as FoundCase[]).find(({ domain }) => shareOf(domain) === share);
  if (!found) throw new Error(`no new case of share ${share}`);
  const before = await (await page.request.get(`/api/actions/contacts?actionID=${found.ID}`)).json();
  for (const { id } of before.data as { id: number }[]) {
    const path = `/api/actions/contacts/${id}?actionID=${found.ID}`;
    await page.request.patch(path, { ...WRITES, data: { state: 'inactive' } });
  }
  await post(page, `contacts?actionID=${found.ID}`, { email: address, name: 'Julien Martin' });
  return found;
}

/** The same, requested. */
export async function requestedCase(page: Page, share: number, address: string): Promise<FoundCase> {
  const found = await newCase(page, share, address);
  await post(page, 'requested', { actionID: [found.ID] });
  return found;
}

/** What the server says of a case. */
export const detailOf = async (page: Page, { ID }: FoundCase) =>
  (await (await page.request.get(`/api/actions/detail/${ID}`)).json()).data;

/** The frame with the mails of the case in sight. */
export const mailsOf = (page: Page): FrameLocator =>
  page.frameLocator('iframe[title="E-mails of this case"], iframe[title="E-mails de ce dossier"]');

/** Answers a mail as its recipient, or the server of its recipient, does. */
export async function answerAs(page: Page, mail: Mail, kind: 'reply' | 'out-of-office' | 'hard-bounce'): Promise<void> {
  const answer = await page.request.post(`${mailPage(mail)}/answer`, { form: { kind } });
  expect(answer.url()).toContain('answered=true');
}
