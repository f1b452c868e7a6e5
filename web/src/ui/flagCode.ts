/** Codes that mean another one: languages and older names of the same country. */
const ALIASES: Readonly<Record<string, string>> = { en: 'gb', eng: 'gb', uk: 'gb' };
const DEFAULT_CODE = 'fr';

/** The flag to draw for a country or language code: the default when it is empty or has no flag. */
export function flagCode(code: string, known: (code: string) => boolean): string {
  const lower = code.trim().toLowerCase();
  const mapped = ALIASES[lower] ?? lower;
  return known(mapped) ? mapped : DEFAULT_CODE;
}
