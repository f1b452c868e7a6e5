import type { CaseReport } from '~/api/queries/caseMails';
import { isRecord } from '~/lib/storage';

/** The page of the mails of a case, by itself or in a frame. */
export const mailsPath = (caseId: string): string => `/action/operator/list/${caseId}/embedded/true`;

/** Opens the contacts; only the page around the frame presses it. */
export const CONTACTS = 'c';

/** What the frame tells its host. A message without data says that the lists are no longer right. */
export type FrameMessage =
  | { type: 'ready' }
  | { type: 'status'; data: CaseReport }
  | { type: 'stale' }
  | { type: 'key'; key: string };

/** What the host tells the frame. */
export type HostMessage = { type: 'auth'; userId: number; token: string } | { type: 'key'; key: string };

/** The longest name of a key, such as `ArrowRight`. */
const LONGEST_KEY = 10;

const isKey = (key: unknown): key is string => typeof key === 'string' && key !== '' && key.length <= LONGEST_KEY;

const texts = (value: unknown): Record<string, string | null> =>
  isRecord(value)
    ? Object.fromEntries(
        Object.entries(value).filter(
          (entry): entry is [string, string | null] => typeof entry[1] === 'string' || entry[1] === null,
        ),
      )
    : {};

/** The report of a case in a message; undefined for anything else. */
function asReport(data: unknown): CaseReport | undefined {
  if (!isRecord(data) || typeof data.status !== 'string' || !Array.isArray(data.history)) return undefined;
  const history = data.history.filter((one) => isRecord(one) && typeof one.status === 'string');
  return { status: data.status, dates: texts(data.dates), history: history as CaseReport['history'] };
}

/** Reads a message of the frame; undefined for what is none. */
export function asFrameMessage(message: unknown): FrameMessage | undefined {
  if (!isRecord(message)) return undefined;
  const { type, data } = message;
  if (type === 'ready') return { type };
  if (type === 'key') return isKey(message.key) ? { type, key: message.key } : undefined;
  if (data === undefined || data === null) return { type: 'stale' };
  const report = type === 'status' ? asReport(data) : undefined;
  return report && { type: 'status', data: report };
}

/** Reads a message of the host; undefined for what is none. */
export function asHostMessage(message: unknown): HostMessage | undefined {
  if (!isRecord(message)) return undefined;
  const { type, userId, token, key } = message;
  if (type === 'key') return isKey(key) ? { type, key } : undefined;
  if (type !== 'auth' || typeof userId !== 'number' || typeof token !== 'string') return undefined;
  return { type, userId, token };
}
