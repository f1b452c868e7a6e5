/** Separators of pasted values. */
export const SEPARATORS: readonly string[] = ['|', '\t', ',', ';', '\n', '\r'];

const PATTERN = /[|\t,;\r\n]/;

/** The values of a pasted text in order, trimmed, without empty ones. */
export const splitPasted = (text: string): string[] =>
  text
    .split(PATTERN)
    .map((value) => value.trim())
    .filter((value) => value !== '');
