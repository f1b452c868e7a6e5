import { session } from '~/lib/storage';

export const LANGUAGES = ['en', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

const KEY = 'lng';

/** The supported language of a tag: fr for 'fr-FR', 'fr_FR' or 'FR'; undefined for any other language. */
export function asLanguage(tag: unknown): Language | undefined {
  if (typeof tag !== 'string') return undefined;
  const base = tag.toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((language) => language === base);
}

/**
 * The first supported of: `lng` in the query string `search`, the language remembered in session storage, `preferred` in order; else
 * English.
 */
export function detectLanguage(search: string, preferred: readonly string[]): Language {
  return (
    asLanguage(new URLSearchParams(search).get(KEY)) ??
    asLanguage(session.get(KEY)) ??
    preferred.map(asLanguage).find((language) => language !== undefined) ??
    'en'
  );
}

/** Remembers the language for addresses without `lng`. */
export const rememberLanguage = (language: Language): void => session.set(KEY, language);
