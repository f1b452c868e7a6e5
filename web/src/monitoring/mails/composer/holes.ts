/** A gap of a template that the case had no value for, as `{{ name }}`. */
export interface Hole {
  name: string;
  start: number;
  end: number;
}

const HOLE = /\{\{\s*([^{}\s][^{}]{0,59}?)\s*\}\}/g;

/** The gaps of a text, in their order. */
export const holesOf = (text: string): Hole[] =>
  [...text.matchAll(HOLE)].map((found) => ({
    name: found[1] ?? '',
    start: found.index,
    end: found.index + found[0].length,
  }));

/** A text in pieces, the gaps marked. */
export function piecesOf(text: string): { text: string; hole: boolean }[] {
  const pieces: { text: string; hole: boolean }[] = [];
  let from = 0;
  for (const { start, end } of holesOf(text)) {
    if (start > from) pieces.push({ text: text.slice(from, start), hole: false });
    pieces.push({ text: text.slice(start, end), hole: true });
    from = end;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), hole: false });
  return pieces;
}
