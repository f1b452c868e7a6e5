import { anyAccent, withoutAccents } from '~/lib/accents';
import { escaped } from './matching';

/** So many characters of a name are looked for: with all their accents they still are an expression that the server takes. */
const LONGEST_NAME = 24;

/** The condition that a field contains a name, in any case and with or without accents; the first characters of a long name count. */
export const matchingName = (text: string): { regexp: string } => {
  const letters = [...withoutAccents(text)].slice(0, LONGEST_NAME);
  return { regexp: `/${letters.map((letter) => anyAccent(escaped(letter))).join('')}/i` };
};
