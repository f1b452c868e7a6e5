import type { DraftText, MailFile } from '~/api/queries/caseMails';
import { isRecord, local, parseJson } from '~/lib/storage';

/** A mail that is being written. */
export interface Writing extends DraftText {
  attachments: readonly MailFile[];
}

/** What this browser has of a draft and the server has not. */
interface Kept {
  /** The version that it was made from. */
  version: number;
  writing: Writing;
}

const keyOf = (userId: number, caseId: string): string => `draft:v1:${userId}:${caseId}`;

const isWriting = (value: unknown): value is Writing =>
  isRecord(value) &&
  typeof value.subject === 'string' &&
  typeof value.body === 'string' &&
  Array.isArray(value.to) &&
  Array.isArray(value.attachments) &&
  (value.language === 'en' || value.language === 'fr');

/** The unsaved text of a case in this browser. */
export const localDraft = {
  get(userId: number, caseId: string): Kept | undefined {
    const kept = parseJson(local.get(keyOf(userId, caseId)));
    return isRecord(kept) && typeof kept.version === 'number' && isWriting(kept.writing)
      ? { version: kept.version, writing: kept.writing }
      : undefined;
  },
  put: (userId: number, caseId: string, kept: Kept): void => local.set(keyOf(userId, caseId), JSON.stringify(kept)),
  remove: (userId: number, caseId: string): void => local.remove(keyOf(userId, caseId)),
};

/** Whether two mails say the same, to the same. */
export const isSame = (one: Writing, other: Writing): boolean => comparable(one) === comparable(other);

const comparable = ({ to, subject, body, language, templateId, attachments }: Writing): string =>
  JSON.stringify([to, subject, body, language, templateId, attachments.map(({ id }) => id)]);

/** Whether there is nothing to keep: no text and no file. */
export const isBlank = ({ subject, body, attachments }: Writing): boolean =>
  subject.trim() === '' && body.trim() === '' && attachments.length === 0;
