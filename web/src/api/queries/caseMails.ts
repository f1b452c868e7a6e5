import type { QueryClient } from '@tanstack/react-query';
import { isRecord } from '~/lib/storage';
import { answer, client } from '../client';
import { ApiError } from '../errors';
import { follow } from '../links';
import { type CaseRow, casesKey, reloadCases } from './actions';

/** Languages that mails are written in. */
export const MAIL_LANGUAGES = ['fr', 'en'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

export type MailKind = 'notification' | 'reminder' | 'answer';
export type MailStatus = 'draft' | 'queued' | 'sent' | 'failed' | 'unknown' | 'received';
export type DeliveryState = 'queued' | 'held' | 'sending' | 'sent' | 'failed' | 'unknown' | 'cancelled';

/** A file with a mail, or with a draft. */
export interface MailFile {
  id: string | number;
  name: string;
  mimeType: string;
  bytes: number;
  href: string;
}

/** One mail on its way to one recipient. */
export interface Delivery {
  id: number;
  contactId: number | null;
  address: string;
  state: DeliveryState;
  /** Why it is held, failed, unknown or cancelled, as a code. */
  reason: string | null;
  /** What the server of the recipient answered. */
  code: number | null;
  text: string | null;
  notBefore: string | null;
  settledAt: string | null;
  ruling: 'arrived' | 'lost' | null;
  bouncedAt: string | null;
  /** When a picture in it was loaded first; null where that is not looked for. */
  openedAt: string | null;
}

interface Person {
  id: number;
  name: string;
}

/** A mail of a case. */
export interface Mail {
  id: number;
  direction: 'out' | 'in';
  kind: MailKind | null;
  reminder: number | null;
  status: MailStatus;
  subject: string;
  body: string;
  /** Sanitised by the server; of received mails only. */
  html: string | null;
  from: { address: string; name: string | null } | null;
  author: Person | null;
  createdDate: string;
  sendedDate: string | null;
  receivedDate: string | null;
  open: boolean;
  readBy: Person | null;
  automatic: 'no' | 'maybe' | 'certain';
  undoUntil: string | null;
  sendAt: string | null;
  then: ThenEvent | null;
  partial: boolean;
  templateType: string | null;
  language: MailLanguage | null;
  attachments: readonly MailFile[];
  deliveries: readonly Delivery[];
}

/** What the server says of a mail after a change of it: at least what has changed. */
export type ChangedMail = Pick<Mail, 'id'> & Partial<Mail>;

/** What happens to the case once the mail has left. */
export type ThenEvent = 'accept' | 'refuse';

/** What is stored of a mail that is being written. */
export interface DraftText {
  to: readonly number[];
  subject: string;
  body: string;
  templateId: number | null;
  language: MailLanguage;
}

/** The draft of this user in a case. */
export interface Draft extends Omit<DraftText, 'language'> {
  id: number;
  /** Null in old ones. */
  language: MailLanguage | null;
  version: number;
  attachments: readonly MailFile[];
  updatedDate: string;
}

export type ContactState = 'active' | 'bounced' | 'unreachable' | 'inactive';

/** A contact of the dealer of a case, or of its master dealer. */
export interface Contact {
  id: number;
  email: string;
  name: string | null;
  state: ContactState;
  /** Why nothing is sent to the address, whatever the state of the contact. */
  suppressed: string | null;
  lastBounce: string | null;
  dealer: 'host' | 'master';
}

/** Another case of the same advertiser that waits for a first mail. */
export interface Sibling {
  ID: number;
  country: string;
  engine: string;
  domain: string;
  status: string;
}

/** The mails of a case, and what is needed to write one. */
export interface CaseMails {
  /** The oldest first. */
  mails: readonly Mail[];
  draft: Draft | null;
  contacts: readonly Contact[];
  siblings: readonly Sibling[];
  /** The language of the advertiser's country. */
  language: MailLanguage;
}

/** As the server has them: readers of companies get no draft, no contacts and no siblings. */
type Answered = Pick<CaseMails, 'mails' | 'language'> & Partial<CaseMails>;

/** A template that fits a case, filled in for it. */
export interface CaseTemplate {
  id: number;
  type: MailKind;
  label: string;
  language: MailLanguage;
  reminder: number | null;
  version: number;
  brandId: number | null;
  subject: string;
  body: string;
  /** Names of what the case has no value for. */
  holes: readonly string[];
}

/** Leads a frame to the mails of one case for five minutes. */
export interface FrameTicket {
  token: string;
  expires: string;
}

interface CallOptions {
  /** The id of the case. */
  caseId?: string;
  body?: object;
  signal?: AbortSignal;
}

/** Calls the API below `/api/actions`; throws an `ApiError` when the call fails. */
async function call<Data>(method: string, path: string, { caseId, body, signal }: CallOptions = {}): Promise<Data> {
  const query = caseId === undefined ? '' : `${path.includes('?') ? '&' : '?'}actionID=${caseId}`;
  const answered = await follow({ method, href: `/api/actions/${path}${query}` }, { body, ...(signal && { signal }) });
  return (answered as { data: Data } | undefined)?.data as Data;
}

const mailsKey = (caseId: string) => ['actions', 'mails', caseId] as const;

/** The mails of a case, its contacts, and the own draft. */
export const caseMailsQuery = (caseId: string) => ({
  queryKey: mailsKey(caseId),
  staleTime: 0,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<CaseMails> => {
    const answered = await call<Answered>('GET', 'emails', { caseId, signal });
    return { draft: null, contacts: [], siblings: [], ...answered };
  },
});

/** The prefix of the templates that are offered where a mail is written. */
export const writersTemplatesKey = ['actions', 'mailTemplates'] as const;

/** The templates that fit a case, in one language. */
export const caseTemplatesQuery = (caseId: string, language: MailLanguage) => ({
  queryKey: [...writersTemplatesKey, caseId, language] as const,
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    call<CaseTemplate[]>('GET', `templates?language=${language}`, { caseId, signal }),
});

/** What is saved of a draft; `version` is that of the draft it was made from, 0 for a new one. */
export interface DraftChange extends DraftText {
  version: number;
  attachments: readonly MailFile['id'][];
}

/** Saves the own draft. Throws an `ApiError` with the code `DRAFT_CHANGED` where there is a newer one. */
export const saveDraft = (caseId: string, change: DraftChange): Promise<Draft> =>
  call('PUT', 'emails/draft', { caseId, body: change });

/** Throws the own draft away. */
export const deleteDraft = (caseId: string): Promise<void> => call('DELETE', 'emails/draft', { caseId });

export interface Sending {
  version: number;
  /** The last mail that the reader has in sight. */
  seen: number | null;
  /** What happens to the case once it has left. */
  after: ThenEvent | null;
  /** When it leaves; null for at once. */
  sendAt: string | null;
}

/** Sends the own draft. Throws an `ApiError`: `MAIL_ARRIVED` where a newer mail is there, `DRAFT_CHANGED` for another version of the draft. */
export const sendDraft = (caseId: string, { version, seen, after, sendAt }: Sending): Promise<Mail> =>
  // biome-ignore lint/suspicious/noThenProperty: the name of the field; nothing awaits the body
  call('POST', 'emails/send', { caseId, body: { version, seen, then: after, sendAt } });

/** Takes a mail back that has not left; throws an `ApiError` with the code `ALREADY_LEAVING` when it has. Resolves with its draft. */
export const undoSend = (mailId: number): Promise<Draft> => call('POST', `emails/${mailId}/undo`);

/** Says what became of a mail of unknown outcome. */
export const ruleMail = (mailId: number, arrived: boolean): Promise<ChangedMail> =>
  call('POST', `emails/${mailId}/ruling`, { body: { arrived } });

/** Marks a received mail as read or unread. */
export const readMail = (mailId: number, read: boolean): Promise<ChangedMail> =>
  call('POST', `emails/${mailId}/read`, { body: { read } });

/** Says whether a machine wrote a received mail. */
export const markAutomatic = (mailId: number, automatic: boolean): Promise<ChangedMail> =>
  call('POST', `emails/${mailId}/automatic`, { body: { automatic } });

export const addContact = (caseId: string, contact: { email: string; name: string }): Promise<unknown> =>
  call('POST', 'contacts', { caseId, body: contact });

export const changeContact = (
  caseId: string,
  id: number,
  change: { state?: 'active' | 'inactive'; name?: string },
): Promise<unknown> => call('PATCH', `contacts/${id}`, { caseId, body: change });

/** A ticket for the frame of a case. */
export const mintTicket = (caseId: string): Promise<FrameTicket> => call('POST', 'emails/ticket', { caseId });

/** Uploads a file for a draft; it belongs to the draft once that is saved with it. */
export async function uploadFile(file: File): Promise<MailFile> {
  const { id, name, mimeType } = await answer(
    client.POST('/api/Files/upload', {
      params: { query: { use: 'attachment' } },
      // Only for the type: the serializer below builds the form.
      body: { file: '' },
      bodySerializer: () => {
        const form = new FormData();
        form.append('file', file, file.name);
        return form;
      },
    }),
  );
  return { id, name, mimeType, bytes: file.size, href: '' };
}

/** Whether the server refused a call with this code. */
export const isRefusal = (error: unknown, code: string): error is ApiError =>
  error instanceof ApiError && error.code === code;

/** Loads the mails of a case again. */
export const reloadMails = (queries: QueryClient, caseId: string): Promise<void> =>
  queries.invalidateQueries({ queryKey: mailsKey(caseId) });

/** Puts a mail that was sent at the end of the thread. */
export function addMail(queries: QueryClient, caseId: string, mail: Mail): void {
  queries.setQueryData<CaseMails>(mailsKey(caseId), (known) => {
    if (!known) return known;
    return { ...known, mails: [...known.mails.filter(({ id }) => id !== mail.id), mail] };
  });
}

/** Puts what has changed of a mail into its place in the thread. */
export function changeMail(queries: QueryClient, caseId: string, changed: ChangedMail): void {
  queries.setQueryData<CaseMails>(
    mailsKey(caseId),
    (known) =>
      known && {
        ...known,
        mails: known.mails.map((one) => (one.id === changed.id ? { ...one, ...changed } : one)),
      },
  );
}

/** Puts the own draft, or that there is none, into the cached mails of a case. */
export const putDraft = (queries: QueryClient, caseId: string, draft: Draft | null): void => {
  queries.setQueryData<CaseMails>(mailsKey(caseId), (known) => known && { ...known, draft });
};

/** What the frame of a case reports of it. */
export interface CaseReport {
  status: string;
  dates: Readonly<Record<string, string | null>>;
  history: CaseRow['history'];
}

/** Puts what its frame reported into the cached case, then loads the case and the lists again. */
export async function applyReport(queries: QueryClient, id: string, report: CaseReport): Promise<void> {
  queries.setQueriesData<{ rows: CaseRow[] }>({ queryKey: casesKey }, (page) => {
    if (!page || !isRecord(page)) return page;
    const merged = (row: CaseRow) => ({ ...row, ...report.dates, status: report.status, history: report.history });
    return { ...page, rows: page.rows.map((row) => (row.id === id ? (merged(row) as CaseRow) : row)) };
  });
  await reloadCases(queries);
}
