import type { RefObject } from 'react';
import { useMe } from '~/api/session';
import { useKeys } from '~/list/cards/useKeys';

interface MailKeys {
  /** Opens the composer, or goes to it. */
  answer(): void;
  /** Opens the templates; undefined while there is no composer. */
  templates: (() => void) | undefined;
  /** Asks when the mail is to leave; undefined while there is no composer. */
  later: (() => void) | undefined;
  /** Marks a mail read or unread. */
  toggleRead(id: number): void;
}

const LINES = '[data-mail] > button[aria-expanded]';

/** The keys of a thread: j and k go through the mails, o opens and closes one, u, r, t and z. Returns what runs one of them for the page around a frame. */
export function useMailKeys(list: RefObject<HTMLElement | null>, keys: MailKeys): (key: string) => void {
  const me = useMe();
  const lines = () => [...(list.current?.querySelectorAll<HTMLButtonElement>(LINES) ?? [])];
  /** The mail in focus, else the last one that is open, else the last. */
  const current = () => {
    const all = lines();
    const focused = all.find((line) => line.parentElement?.contains(document.activeElement));
    return focused ?? all.findLast((line) => line.ariaExpanded === 'true') ?? all.at(-1);
  };
  const move = (step: 1 | -1) => {
    const all = lines();
    const at = all.findIndex((line) => line.parentElement?.contains(document.activeElement));
    const next = at < 0 ? current() : all[Math.min(all.length - 1, Math.max(0, at + step))];
    next?.focus({ preventScroll: true });
    next?.scrollIntoView({ block: 'nearest' });
  };
  const known: Record<string, () => void> = {
    j: () => move(1),
    k: () => move(-1),
    o: () => current()?.click(),
    u: () => {
      const id = Number(current()?.parentElement?.dataset.mail);
      if (Number.isSafeInteger(id)) keys.toggleRead(id);
    },
    r: keys.answer,
    ...(keys.templates && { t: keys.templates }),
    ...(keys.later && { z: keys.later }),
  };
  useKeys(me.id, known);
  return (key) => known[key]?.();
}
