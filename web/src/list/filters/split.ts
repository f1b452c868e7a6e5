/** What separates several values in a pasted text. */
export const SEPARATORS = ['|', '\t', ',', ';', '\n', '\r'];

const PATTERN = /[|\t,;\r\n]/;

/** The values of a pasted text, trimmed, each once, in their order. */
export const splitPasted = (text: string): string[] => [
  ...new Set(
    text
      .split(PATTERN)
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  ),
];
