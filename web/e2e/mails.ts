import { type APIRequestContext, expect, type Page } from '@playwright/test';

/** Where the stack shows the mails it catches; `vigie up` prints it. */
const MAILS = process.env.VIGIE_MAILS;
if (!MAILS) throw new Error("set VIGIE_MAILS to the address of the mails caught, as printed by 'vigie up'");

export interface Mail {
  id: number;
  subject: string;
  to: string[];
  text: string;
  html: string;
}

/** The mails to an address, the newest first. */
export async function mailsTo(request: APIRequestContext, email: string): Promise<Mail[]> {
  const all = (await (await request.get(`${MAILS}/api/mails`)).json()) as Mail[];
  return all.filter(({ to }) => to.includes(email));
}

/** The mail to an address with this subject, as soon as it has come. */
export async function mailTo(request: APIRequestContext, email: string, subject: string): Promise<Mail> {
  const find = async () => (await mailsTo(request, email)).find((mail) => mail.subject === subject);
  await expect.poll(async () => (await find()) !== undefined).toBe(true);
  return (await find()) as Mail;
}

/** The page of one mail. */
export const mailPage = ({ id }: Mail): string => `${MAILS}/mails/${id}`;

/** The one link of a mail. */
export function linkOf({ text }: Mail): string {
  const [link, ...others] = text.match(/https?:\/\/\S+/g) ?? [];
  if (!link || others.length > 0) throw new Error(`a mail should have one link: ${text}`);
  return link;
}

/** Makes an account of a company user, signed in as an administrator. */
export async function makeUser(page: Page, email: string, password: string): Promise<void> {
  const made = await page.request.post('/api/UserAccounts', {
    headers: { 'X-Requested-With': 'XMLHttpRequest' },
    data: { email, password, firstName: 'Ann', lastName: 'Archer' },
  });
  expect(made.status(), await made.text()).toBe(200);
}
