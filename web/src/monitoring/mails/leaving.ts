import { isRecord, parseJson, session } from '~/lib/storage';

/** How long a mail can be taken back. The server waits as long, and has the last word. */
export const UNDO_MS = 15_000;

/** A mail that was sent in this tab just now. */
export interface Leaving {
  mailId: number;
  caseId: string;
  domain: string;
  recipients: number;
  /** On the clock of this machine, in milliseconds. */
  until: number;
  /** Taken back: its draft is there again. */
  undone?: true;
}

const KEY = 'leavingMail:v1';
const listeners = new Set<() => void>();
let known: { text: string | null; leaving: Leaving | undefined } = { text: null, leaving: undefined };

/** Only this file writes it. */
const asLeaving = (value: unknown): Leaving | undefined =>
  isRecord(value) ? (value as unknown as Leaving) : undefined;

function read(): Leaving | undefined {
  const text = session.get(KEY);
  if (text !== known.text) {
    known = { text, leaving: asLeaving(parseJson(text)) };
  }
  return known.leaving;
}

function changed(): void {
  for (const listener of listeners) listener();
}

/** Says that a mail is leaving, in place of the one before it. Every frame of this tab shows the same, and a page that is loaded again does, too. */
export function putLeaving(leaving: Leaving): void {
  session.set(KEY, JSON.stringify(leaving));
  changed();
}

/** Forgets a mail, unless another one has taken its place. */
export function endLeaving(mailId: number): void {
  if (read()?.mailId !== mailId) return;
  session.remove(KEY);
  changed();
}

const onStorage = ({ key }: StorageEvent) => {
  if (key === KEY || key === null) changed();
};

/** The store of the mail that is leaving, for `useSyncExternalStore`. */
export const leavingMail = {
  get: read,
  subscribe(listener: () => void) {
    if (listeners.size === 0) window.addEventListener('storage', onStorage);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) window.removeEventListener('storage', onStorage);
    };
  },
};
