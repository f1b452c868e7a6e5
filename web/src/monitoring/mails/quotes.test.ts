import { describe, expect, it } from 'vitest';
import { splitQuotes } from './quotes';

const parts = (text: string) => splitQuotes(text).map(({ text: part, quoted }) => [part, quoted]);

describe('the quotes of a mail', () => {
  it.each([
    [
      'marked lines with their introduction',
      'Yes.\n\nOn 2 Nov 2026, Vigie wrote:\n> Hello\n>\n> Stop it',
      'Yes.',
      3 + 1,
    ],
    ['a French introduction', 'Oui.\r\n\r\nLe 2 nov. 2026 à 09:14, Vigie a écrit :\r\n> Bonjour', 'Oui.', 2],
    [
      'an introduction in two lines',
      'Yes.\nOn Mon, 2 Nov 2026 at 09:14,\nVigie <v@vigie.example> wrote:\n> Hello',
      'Yes.',
      3,
    ],
    ['everything after a separator', 'Yes.\n-----Original Message-----\nHello\nagain', 'Yes.', 3],
    ['everything below a repeated head', 'Oui.\nDe : Vigie\nEnvoyé : lundi 2 novembre\nBonjour', 'Oui.', 3],
  ])('are %s', (_name, text, written, lines) => {
    const [first, quote, ...others] = splitQuotes(text);
    expect(first).toEqual({ text: written, quoted: false });
    expect(quote?.quoted).toBe(true);
    expect(quote?.text.split('\n')).toHaveLength(lines);
    expect(others).toEqual([]);
  });

  it('keep what is written between and below them', () => {
    expect(parts('> Which ads?\nThese two.\n\n> Since when?\nMonday.')).toEqual([
      ['> Which ads?', true],
      ['These two.', false],
      ['> Since when?', true],
      ['Monday.', false],
    ]);
  });

  it.each(['We wrote: nothing.', 'On Monday we wrote:\nNo quote follows.', 'From: Paris\nto Lyon', 'a > b'])(
    'are none in %j',
    (text) => {
      expect(parts(text)).toEqual([[text, false]]);
    },
  );

  it('of an empty text are none', () => {
    expect(splitQuotes(' \n ')).toEqual([]);
  });
});
