/** Letters with accents by their plain letter, as far as names of places and countries have them. */
const ACCENTS: Readonly<Record<string, string>> = {
  a: 'àáâãäåăą',
  c: 'çćč',
  e: 'èéêëěę',
  i: 'ìíîïı',
  l: 'ł',
  n: 'ñńň',
  o: 'òóôõöøő',
  s: 'śşšș',
  t: 'ţťț',
  u: 'ùúûüůű',
  y: 'ýÿ',
  z: 'źżž',
};

const plainLetters = new Map(
  Object.entries(ACCENTS).flatMap(([plain, accented]) => [...accented].map((letter) => [letter, plain] as const)),
);

/** A text in lower case, its letters without accents. */
export const withoutAccents = (text: string): string =>
  [...text.normalize('NFC').toLowerCase()].map((letter) => plainLetters.get(letter) ?? letter).join('');

/** A letter with all its accents, in both cases, as a class of a regular expression; any other character as it is. */
export function anyAccent(letter: string): string {
  const accented = ACCENTS[letter];
  return accented ? `[${letter}${accented}${accented.toUpperCase()}]` : letter;
}
