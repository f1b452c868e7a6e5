/** What a password needs. The server checks the same. */
export interface PasswordRule {
  key: 'length' | 'upper' | 'lower' | 'digit' | 'special';
  holds: (password: string) => boolean;
}

const atLeast = (characters: number): PasswordRule => ({
  key: 'length',
  holds: (password) => [...password].length >= characters,
});

const CLASSES: PasswordRule[] = [
  { key: 'upper', holds: (password) => /\p{Lu}/u.test(password) },
  { key: 'lower', holds: (password) => /\p{Ll}/u.test(password) },
  { key: 'digit', holds: (password) => /[0-9]/.test(password) },
];

/** For a password chosen with a link: any ASCII punctuation is special. */
export const RESET_RULES: readonly PasswordRule[] = [
  atLeast(10),
  ...CLASSES,
  { key: 'special', holds: (password) => /[!-/:-@[-`{-~]/.test(password) },
];

/** For a password changed in the profile: fewer characters, and special ones out of a short list. */
export const PROFILE_RULES: readonly PasswordRule[] = [
  atLeast(8),
  ...CLASSES,
  { key: 'special', holds: (password) => /[@$!%*?&]/.test(password) },
];

export const keepsRules = (password: string, rules: readonly PasswordRule[]): boolean =>
  rules.every(({ holds }) => holds(password));

/** Whether a text could be the address of a mailbox: whether it is one, only a mail tells. */
export const looksLikeEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);
