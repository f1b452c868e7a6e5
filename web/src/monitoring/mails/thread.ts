import type { Mail } from '~/api/queries/caseMails';
import type { HistoryEntry } from '../cases/timeline';

/** A mail, or a status that the case had from then on. */
export type ThreadItem =
  | { kind: 'mail'; key: string; at: string; mail: Mail }
  | { kind: 'change'; key: string; at: string; status: string };

/** Mails that are open when the thread is. */
const MOST_OPEN = 3;

/** When a mail came or left; before that, when it was written. */
export const dateOf = ({ receivedDate, sendedDate, createdDate }: Mail): string =>
  receivedDate ?? sendedDate ?? createdDate;

/**
 * Whether a machine wrote a mail: one of ours without an author, or one that certainly is an absence note or a receipt. Of ours, companies see neither
 * authors nor deliveries, and so no machine.
 */
export const isAutomatic = ({ direction, author, automatic, deliveries }: Mail): boolean =>
  direction === 'out' ? author === null && deliveries.length > 0 : automatic === 'certain';

/** Whether a mail of the advertiser waits for its reader. */
export const isUnread = ({ direction, open }: Mail): boolean => direction === 'in' && !open;

/** The story of a case, the oldest first: its mails without drafts, and between them its statuses as far as their dates are known. */
export function threadOf(mails: readonly Mail[], history: readonly HistoryEntry[]): ThreadItem[] {
  const items: ThreadItem[] = [
    ...mails
      .filter(({ status }) => status !== 'draft')
      .map((mail) => ({ kind: 'mail' as const, key: `mail ${mail.id}`, at: dateOf(mail), mail })),
    ...history.flatMap(({ ID, status, date }) =>
      date ? [{ kind: 'change' as const, key: `change ${ID}`, at: date, status }] : [],
    ),
  ];
  // A status follows the mail that brought it about.
  return items.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** The mails that are open when the thread is: the newest unread ones, else the last that a person wrote. */
export function openAtFirst(mails: readonly Mail[]): ReadonlySet<number> {
  const written = mails.filter((mail) => mail.status !== 'draft' && !isAutomatic(mail));
  const unread = written.filter(isUnread).slice(-MOST_OPEN);
  return new Set((unread.length > 0 ? unread : written.slice(-1)).map(({ id }) => id));
}

/** The id of the last mail, in the order of the server; null where there is none. */
export const lastOf = (mails: readonly Mail[]): number | null =>
  mails.findLast(({ status }) => status !== 'draft')?.id ?? null;

/** The mails that came after one, in the order of the server; all of them after none. */
export const mailsAfter = (mails: readonly Mail[], seen: number | null): readonly Mail[] =>
  mails.slice(mails.findIndex(({ id }) => id === seen) + 1);

/** The subject without the marks of answers and forwards. */
export const baseSubject = (subject: string): string => subject.replace(/^(?:\s*(?:re|tr|fw|fwd)\s*:)+\s*/i, '').trim();

/** The first letters of a name or address, for its picture. */
export function initialsOf(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase())
    .join('');
}
