/** A rule for passwords; the server checks the same ones. */
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

/** For passwords set by a mail link: any ASCII punctuation is special. */
export const RESET_RULES: readonly PasswordRule[] = [
  atLeast(10),
  ...CLASSES,
  { key: 'special', holds: (password) => /[!-/:-@[-`{-~]/.test(password) },
];

/** For passwords changed in the profile: shorter, with special characters from a short list. */
export const PROFILE_RULES: readonly PasswordRule[] = [
  atLeast(8),
  ...CLASSES,
  { key: 'special', holds: (password) => /[@$!%*?&]/.test(password) },
];

export const keepsRules = (password: string, rules: readonly PasswordRule[]): boolean =>
  rules.every(({ holds }) => holds(password));

/** A plausibility check: only a mail proves an address. */
export const looksLikeEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text);

/** The longest name that DNS resolves. */
const MAX_DOMAIN_LENGTH = 253;

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/** Whether a text in lower case is a domain name: labels of letters, digits and hyphens, a dot and a suffix. */
export const isDomain = (text: string): boolean => text.length <= MAX_DOMAIN_LENGTH && DOMAIN.test(text);
