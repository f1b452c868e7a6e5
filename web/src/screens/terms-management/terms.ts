import type { TermState } from '~/api/queries/settingTerms';
import { splitPasted } from '~/lib/pasted';

/** The server's limits. */
export const MOST_KEYWORDS = 1_000;
export const LONGEST_KEYWORD = 80;

export const KEYWORD_TYPES = ['GENERIC', 'BRAND', 'GENERIC_BRAND', 'MULTIBRAND'] as const;

/** What is changed in a modal; a state is the one that terms get. */
export type TermChange = 'frequency' | 'options' | 'brand' | 'access' | 'delete' | TermState;

/** Longest rate, in digits. */
const RATE_DIGITS = 3;

/** The digits of a typed rate. */
export const rateDigits = (text: string): string => text.replace(/\D/g, '').slice(0, RATE_DIGITS);

/** Whether a rate is one from 1 to 100 percent. */
export const isRate = (digits: string): boolean => Number(digits) >= 1 && Number(digits) <= 100;

/** The keywords of entries, split and trimmed, each once in any case and spacing, and how many were left out as duplicates. */
export function keywordsOf(entries: readonly string[]): { keywords: string[]; duplicates: number } {
  const all = entries.flatMap(splitPasted);
  const byFolded = new Map<string, string>();
  for (const keyword of all) {
    const folded = keyword.toLowerCase().replace(/\s+/g, ' ');
    if (!byFolded.has(folded)) byFolded.set(folded, keyword);
  }
  return { keywords: [...byFolded.values()], duplicates: all.length - byFolded.size };
}

/** The first keyword that the server would refuse as too long. */
export const tooLong = (keywords: readonly string[]): string | undefined =>
  keywords.find((keyword) => [...keyword].length > LONGEST_KEYWORD);
