import { local } from './storage';

/** How long the second key of a sequence may take. */
export const SEQUENCE_MS = 1_000;

/** What keys do: by the letter typed, as in `j`, `?` or, for two in a row, `g a`. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const storageKey = (userId: number): string => `keys:v1:${userId}`;

/** Whether single keys do something for this user. */
export const areKeysOn = (userId: number): boolean => local.get(storageKey(userId)) !== 'off';

export function switchKeys(userId: number, on: boolean): void {
  if (on) local.remove(storageKey(userId));
  else local.set(storageKey(userId), 'off');
}

/** Whether a key press belongs to a field, a menu or a dialog. */
export const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="dialog"], [role="menu"]',
  ) !== null;

/**
 * Makes a listener for key presses that runs what `keys` has for them: not in fields, dialogs and menus, not with Ctrl, Cmd or Alt, and not while
 * `isOn` says no. Two keys in a row are one where the sequence is known. AltGr is let through: French keyboards type `[` with it, and Windows reports
 * it as Ctrl and Alt.
 */
export function keyListener(keys: () => Keys, isOn: () => boolean): (event: KeyboardEvent) => void {
  let first: { key: string; at: number } | undefined;
  return (event) => {
    const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event;
    const isCommand = metaKey || ((ctrlKey || altKey) && !event.getModifierState('AltGraph'));
    if (isCommand || isTyping(target) || !isOn()) return;
    const sequence = first && timeStamp - first.at <= SEQUENCE_MS ? `${first.key} ${key}` : undefined;
    const known = keys();
    first = Object.keys(known).some((name) => name.startsWith(`${key} `)) ? { key, at: timeStamp } : undefined;
    const run = (sequence && known[sequence]) || known[key];
    if (!run) return;
    event.preventDefault();
    run(event);
  };
}
