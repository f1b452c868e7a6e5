/** A pattern as the form edits it. */
export interface Pattern {
  text: string;
  /** Whole words only. */
  strict: boolean;
}

/** What a strict pattern is stored between: the group keeps alternatives together. */
const STRICT = { before: '\\b(?:', after: ')\\b' } as const;

/** The pattern as it is stored; empty for none. */
export const storedPattern = ({ text, strict }: Pattern): string =>
  text !== '' && strict ? `${STRICT.before}${text}${STRICT.after}` : text;

/** Reads a stored pattern, strict where one group spans all of it. */
export function readPattern(stored: string): Pattern {
  if (!stored.startsWith(STRICT.before) || !stored.endsWith(STRICT.after)) return { text: stored, strict: false };
  const text = stored.slice(STRICT.before.length, -STRICT.after.length);
  return text !== '' && isBalanced(text) ? { text, strict: true } : { text: stored, strict: false };
}

/** Whether each parenthesis is closed within the text, as in `a(b)c` and unlike in `a)|(b`. */
function isBalanced(text: string): boolean {
  let depth = 0;
  let inClass = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at];
    if (letter === '\\') at++;
    else if (inClass) inClass = letter !== ']';
    else if (letter === '[') inClass = true;
    else if (letter === '(') depth++;
    else if (letter === ')') depth--;
    if (depth < 0) return false;
  }
  return depth === 0 && !inClass && !endsInEscape(text);
}

/** Whether the last backslash escapes what follows the text. */
const endsInEscape = (text: string): boolean => (/\\*$/.exec(text)?.[0].length ?? 0) % 2 === 1;

/** Whether a pattern is written between slashes, as in programs. */
export const hasSlashes = (text: string): boolean => /^\/.*\/[a-z]*$/s.test(text.trim());
