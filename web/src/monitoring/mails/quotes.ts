/** A part of a mail's text: what was written, or what it repeats of an earlier mail. */
export interface TextPart {
  text: string;
  quoted: boolean;
}

const QUOTED_LINE = /^\s*>/;
/** What mail programs write above the mail that is answered, in English and French; some break it over two lines. */
const INTRODUCTION = /^\s*(?:on\b.{4,200}\bwrote|le\b.{4,200}\ba écrit)\s*:\s*$/iu;
/** After one of these, everything is an earlier mail. */
const SEPARATOR =
  /^\s*(?:-{2,}\s*(?:original message|message d'origine|message original|forwarded message|message transféré)\s*-{2,}|_{20,})\s*$/iu;
/** The head of an earlier mail, as some programs repeat it without any mark. */
const HEAD = /^\s*(?:from|de)\s*:\s.+$/iu;
const HEAD_DATE = /^\s*(?:sent|date|envoyé)\s*:\s.+$/iu;

const isBlank = (line: string | undefined): boolean => line === undefined || line.trim() === '';

/** How many lines from `at` introduce an earlier mail; 0 for none. */
function introduction(lines: readonly string[], at: number): number {
  const line = lines[at] ?? '';
  if (INTRODUCTION.test(line)) return 1;
  const next = lines[at + 1];
  return next !== undefined && /^\s*(?:on|le)\b/iu.test(line) && INTRODUCTION.test(`${line} ${next}`) ? 2 : 0;
}

/** Whether everything from a line on is an earlier mail. */
const endsHere = (lines: readonly string[], at: number): boolean =>
  SEPARATOR.test(lines[at] ?? '') || (HEAD.test(lines[at] ?? '') && HEAD_DATE.test(lines[at + 1] ?? ''));

/** Divides the text of a mail into what was written and what it quotes, in their order. Blank lines around quotes are left out. */
export function splitQuotes(text: string): TextPart[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const quoted = new Array<boolean>(lines.length).fill(false);
  for (let at = 0; at < lines.length; at += 1) {
    if (endsHere(lines, at)) {
      quoted.fill(true, at);
      break;
    }
    if (QUOTED_LINE.test(lines[at] ?? '')) quoted[at] = true;
    const introducing = introduction(lines, at);
    const first = lines.findIndex((line, index) => index >= at + introducing && !isBlank(line));
    if (introducing > 0 && (first < 0 || QUOTED_LINE.test(lines[first] ?? ''))) quoted.fill(true, at, at + introducing);
  }
  const parts: { lines: string[]; quoted: boolean }[] = [];
  lines.forEach((line, at) => {
    const last = parts.at(-1);
    const is = quoted[at] || (isBlank(line) && last?.quoted === true);
    if (last && last.quoted === is) last.lines.push(line);
    else parts.push({ lines: [line], quoted: is });
  });
  return parts
    .map((part) => ({ text: part.lines.join('\n').replace(/^\n+|\s+$/g, ''), quoted: part.quoted }))
    .filter((part) => part.text !== '');
}

/** How many lines a text has. */
export const lineCount = (text: string): number => text.split('\n').length;
