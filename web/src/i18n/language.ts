import { session } from '~/lib/storage';

export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

const KEY = 'lng';

/** 'fr-FR', 'fr_FR' and 'FR' mean fr; anything we do not speak gives undefined. */
export function asLanguage(tag: unknown): Language | undefined {
  if (typeof tag !== 'string') return undefined;
  const base = tag.toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((language) => language === base);
}

/** The language of this visit: the address, else what the visit chose, else the browser, else English. */
export function detectLanguage(search: string, preferred: readonly string[]): Language {
  return (
    asLanguage(new URLSearchParams(search).get(KEY)) ??
    asLanguage(session.get(KEY)) ??
    preferred.map(asLanguage).find((language) => language !== undefined) ??
    'en'
  );
}

/** Keeps the language for navigations whose address does not name one. */
export const rememberLanguage = (language: Language): void => session.set(KEY, language);
