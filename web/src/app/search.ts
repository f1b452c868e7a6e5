import { parseJson } from '~/lib/storage';

/** Keys that always hold JSON; other keys hold JSON only for objects and lists. */
const JSON_KEYS: readonly string[] = ['page', 'perPage', 'order', 'direction'];

const looksLikeJson = (text: string): boolean => text.startsWith('{') || text.startsWith('[');

/** Parses an address; drops values that should be JSON and are not. */
export function parseSearch(text: string): Record<string, unknown> {
  const entries = [...new URLSearchParams(text)].map(([key, value]) => [
    key,
    JSON_KEYS.includes(key) || looksLikeJson(value) ? parseJson(value) : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/**
 * Writes an address with its `?`, or '' without keys: JSON for `JSON_KEYS`, objects and lists, else plain text, percent-encoded, in the order of the
 * keys; null and undefined are left out.
 */
export function stringifySearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    if (value === undefined || value === null) continue;
    const json = JSON_KEYS.includes(key) || typeof value === 'object';
    query.append(key, json ? JSON.stringify(value) : String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
