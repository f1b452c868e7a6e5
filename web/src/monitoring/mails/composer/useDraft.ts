import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useReducer, useRef } from 'react';
import { type ApiError, isUnreachable as isUnreachableError } from '~/api/errors';
import { type Draft, deleteDraft, isRefusal, type MailFile, putDraft, saveDraft } from '~/api/queries/caseMails';
import { useMe } from '~/api/session';
import { isBlank, isSame, localDraft, type Writing } from './localDraft';

/** A draft is saved when nothing was typed for this long. */
const SAVE_MS = 1_000;

/** The server's code for a draft that was saved from elsewhere meanwhile. */
export const CHANGED = 'DRAFT_CHANGED';

/** How far the draft is saved. `newer`: another tab has saved another one. */
export type Saving = 'blank' | 'changed' | 'saving' | 'saved' | 'failed' | 'offline' | 'newer';

/** Thrown by `flush` where the draft cannot be saved. */
export class UnsavedError extends Error {
  override readonly name = 'UnsavedError';

  constructor(override readonly cause: unknown) {
    super('The draft could not be saved');
  }
}

export interface DraftState {
  writing: Writing;
  saving: Saving;
  savedAt: string | undefined;
  /** The other text, where two tabs wrote: neither is lost. */
  other: Writing | undefined;
  change(change: Partial<Writing>): void;
  /** Adds a file to what is written by then. */
  attach(file: MailFile): void;
  /** Saves what is not saved yet; a failure is part of the state. */
  saveSoon(): void;
  /** Saves at once what is not saved, and resolves with the version; throws an `UnsavedError`. */
  flush(): Promise<number>;
  /** Exchanges the text with the other one. */
  exchange(): void;
  /** Goes on with this text in place of the newer one. */
  keepMine(): void;
  /** Throws the draft away, here and on the server. */
  discard(): Promise<void>;
  /** Forgets it here: it was sent. */
  forget(): void;
}

const asWriting = ({ to, subject, body, templateId, language, attachments }: Draft, fresh: Writing): Writing => ({
  to,
  subject,
  body,
  templateId,
  language: language ?? fresh.language,
  attachments,
});

/** The draft that a refusal came with. */
const newerOf = (error: ApiError): Draft | undefined => {
  const { details } = error;
  const draft = typeof details === 'object' && details !== null && 'draft' in details ? details.draft : details;
  return typeof draft === 'object' && draft !== null && 'version' in draft ? (draft as Draft) : undefined;
};

/**
 * The own draft of a case: saved a second after the last change, when a field or the page is left, and before it is sent; kept in this browser as
 * long as the server has not got it. It begins with what this browser kept, else with the server's draft, else with `fresh`; with `instead`, with
 * `fresh`, and keeps those beside it. A later draft of the server never touches what is typed.
 */
export function useDraft(caseId: string, stored: Draft | null, fresh: Writing, instead: boolean): DraftState {
  const queries = useQueryClient();
  const { id: userId } = useMe();
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const state = useRef<{
    writing: Writing;
    version: number;
    saved: Writing | undefined;
    saving: Saving;
    savedAt: string | undefined;
    other: Writing | undefined;
    newerVersion: number | undefined;
  }>(undefined);
  if (!state.current && instead) {
    const before = localDraft.get(userId, caseId)?.writing ?? (stored ? asWriting(stored, fresh) : undefined);
    state.current = {
      writing: fresh,
      version: stored?.version ?? 0,
      saved: undefined,
      saving: 'changed',
      savedAt: undefined,
      other: before && !isBlank(before) && !isSame(before, fresh) ? before : undefined,
      newerVersion: undefined,
    };
  }
  if (!state.current) {
    const kept = localDraft.get(userId, caseId);
    const base = stored ? asWriting(stored, fresh) : undefined;
    const isNewer = kept !== undefined && stored !== null && stored.version !== kept.version;
    const same = kept && base ? isSame(kept.writing, base) : false;
    state.current = {
      writing: kept?.writing ?? base ?? fresh,
      version: isNewer && !same ? (kept?.version ?? 0) : (stored?.version ?? 0),
      saved: kept ? (same ? base : undefined) : (base ?? fresh),
      saving: kept && !same ? (isNewer ? 'newer' : 'changed') : stored ? 'saved' : 'blank',
      savedAt: stored?.updatedDate,
      other: isNewer && !same ? base : undefined,
      newerVersion: isNewer && !same ? stored?.version : undefined,
    };
  }
  const held = state.current;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const running = useRef<Promise<void>>(Promise.resolve());

  const save = useCallback(async (): Promise<void> => {
    clearTimeout(timer.current);
    if (held.saving === 'newer' || (held.saved && isSame(held.saved, held.writing))) return;
    const sent = held.writing;
    held.saving = 'saving';
    redraw();
    try {
      const attachments = sent.attachments.map(({ id }) => id);
      const draft = await saveDraft(caseId, { ...sent, attachments, version: held.version });
      const gone = held.writing === sent;
      held.version = draft.version;
      held.savedAt = draft.updatedDate;
      // The server's files have ids and addresses of their own.
      const uploaded = new Map(sent.attachments.map(({ id }, at) => [id, draft.attachments[at]]));
      held.saved = { ...sent, attachments: draft.attachments };
      held.writing = gone
        ? held.saved
        : { ...held.writing, attachments: held.writing.attachments.map((file) => uploaded.get(file.id) ?? file) };
      held.saving = gone ? 'saved' : 'changed';
      if (gone) localDraft.remove(userId, caseId);
      else localDraft.put(userId, caseId, { version: held.version, writing: held.writing });
      putDraft(queries, caseId, draft);
    } catch (error) {
      const newer = isRefusal(error, CHANGED) ? newerOf(error) : undefined;
      if (newer) {
        held.saving = 'newer';
        held.other = asWriting(newer, sent);
        held.newerVersion = newer.version;
        held.savedAt = newer.updatedDate;
      } else {
        // It was sent or thrown away elsewhere: what is typed is a draft of its own.
        if (isRefusal(error, CHANGED)) held.version = 0;
        held.saving = isUnreachableError(error) ? 'offline' : 'failed';
      }
      throw new UnsavedError(error);
    } finally {
      redraw();
    }
  }, [caseId, held, queries, userId]);

  /** One call at a time: the next needs the version that this one ends with. */
  const queueSave = useCallback((): Promise<void> => {
    const next = running.current.catch(() => undefined).then(save);
    running.current = next;
    return next;
  }, [save]);

  const saveSoon = useCallback(() => void queueSave().catch(() => undefined), [queueSave]);

  const put = useCallback(
    (writing: Writing) => {
      held.writing = writing;
      localDraft.put(userId, caseId, { version: held.version, writing });
      if (held.saving !== 'newer') {
        if (held.saving !== 'saving') held.saving = 'changed';
        clearTimeout(timer.current);
        timer.current = setTimeout(saveSoon, SAVE_MS);
      }
      redraw();
    },
    [caseId, held, saveSoon, userId],
  );

  useEffect(() => {
    if (held.saving === 'changed') timer.current = setTimeout(saveSoon, SAVE_MS);
    const leave = () => {
      if (document.visibilityState === 'hidden') saveSoon();
    };
    window.addEventListener('online', saveSoon);
    document.addEventListener('visibilitychange', leave);
    return () => {
      window.removeEventListener('online', saveSoon);
      document.removeEventListener('visibilitychange', leave);
      clearTimeout(timer.current);
      if (held.saving === 'changed') saveSoon();
    };
  }, [held, saveSoon]);

  const forget = () => {
    clearTimeout(timer.current);
    held.saved = held.writing;
    held.saving = 'blank';
    localDraft.remove(userId, caseId);
    putDraft(queries, caseId, null);
  };

  return {
    writing: held.writing,
    saving: held.saving,
    savedAt: held.savedAt,
    other: held.other,
    change: (change) => put({ ...held.writing, ...change }),
    attach: (file) => put({ ...held.writing, attachments: [...held.writing.attachments, file] }),
    saveSoon,
    async flush() {
      await queueSave();
      if (held.saving === 'newer') throw new UnsavedError(undefined);
      return held.version;
    },
    exchange() {
      const { other } = held;
      if (!other) return;
      held.other = held.writing;
      if (held.newerVersion !== undefined) {
        // The newer one is what the server has: going on from it is no conflict.
        held.version = held.newerVersion;
        held.saved = other;
        held.newerVersion = undefined;
        held.saving = 'saved';
        held.writing = other;
        localDraft.remove(userId, caseId);
        redraw();
      } else put(other);
    },
    keepMine() {
      if (held.newerVersion !== undefined) held.version = held.newerVersion;
      held.newerVersion = undefined;
      held.saving = 'changed';
      put({ ...held.writing });
    },
    async discard() {
      clearTimeout(timer.current);
      await running.current.catch(() => undefined);
      if (held.version > 0) await deleteDraft(caseId);
      forget();
    },
    forget,
  };
}
