import { parseJson } from '~/lib/storage';

/** Keys whose values are JSON whatever they hold; any other key is JSON only when it holds an object or a list. */
const JSON_KEYS: readonly string[] = ['page', 'perPage', 'order', 'direction'];

const looksLikeJson = (text: string): boolean => text.startsWith('{') || text.startsWith('[');

/** Reads an address. A value that should be JSON and is not counts as absent. */
export function parseSearch(text: string): Record<string, unknown> {
  const entries = [...new URLSearchParams(text)].map(([key, value]) => [
    key,
    JSON_KEYS.includes(key) || looksLikeJson(value) ? parseJson(value) : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Writes an address: list keys and objects as JSON, all other values as plain text. */
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
