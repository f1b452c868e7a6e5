/** A part of a filled in text: words, or a value that is missing. */
export interface LetterPart {
  text: string;
  /** The name of the missing value. */
  hole?: string;
}

const HOLE = /\{\{ ([\w.]+) \}\}/g;

/** A filled in text in parts, so that its holes can be marked. */
export function partsOf(text: string): LetterPart[] {
  const parts: LetterPart[] = [];
  let at = 0;
  for (const found of text.matchAll(HOLE)) {
    if (found.index > at) parts.push({ text: text.slice(at, found.index) });
    parts.push({ text: found[0], hole: found[1] ?? '' });
    at = found.index + found[0].length;
  }
  if (at < text.length) parts.push({ text: text.slice(at) });
  return parts;
}

/** The values of a template, as it names them; entries of lists are in loops. */
export const VARIABLES = [
  'brand.label',
  'domain',
  'country',
  'engine',
  'firstSeen',
  'lastSeen',
  'daysSeen30',
  'keywords',
  'ads',
  'siblings',
  'previousMails',
  'sender.firstName',
  'reference',
] as const;

export type Variable = (typeof VARIABLES)[number];

/** What is written into a template for a value: of ads a list of them. */
export function insertionOf(name: Variable): string {
  return name === 'ads'
    ? '{% for ad in ads %}\n- {{ ad.title }}: {{ ad.text }} ({{ ad.seenAt }})\n{%- endfor %}'
    : name === 'previousMails'
      ? '{{ previousMails.last.date }}'
      : `{{ ${name} }}`;
}

/** The values that neither subject nor body uses. */
export function unusedIn(text: string): Variable[] {
  const tags = text.match(/\{[{%][^}]*\}/g) ?? [];
  const uses = (name: Variable) =>
    tags.some((tag) => new RegExp(`(?<![\\w.])${name.replace('.', '\\.')}(?!\\w)`).test(tag));
  return VARIABLES.filter((name) => !uses(name));
}

/** A text whose tags of a value say what to write where it is missing. */
export const withFallback = (text: string, hole: string, fallback: string): string =>
  text.replaceAll(
    new RegExp(`\\{\\{(-?)\\s*${hole.replaceAll('.', '\\.')}\\s*(-?)\\}\\}`, 'g'),
    `{{$1 ${hole}|default("${fallback.replaceAll(/["{}%]/g, '')}") $2}}`,
  );
