import { lexer, type Token, type Tokens } from 'marked';

/** The part after the `#` of an address that leads to a heading: as GitHub makes it, so that links work in both places. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** What is read of tokens, without marks such as those of emphasis. */
export const plain = (tokens: readonly Token[]): string =>
  tokens.map((token) => ('tokens' in token && token.tokens ? plain(token.tokens) : unescaped(token))).join('');

const unescaped = (token: Token): string => ('text' in token ? String(token.text) : token.raw);

export interface Heading {
  depth: number;
  text: string;
  anchor: string;
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === 'heading';

/** The blocks of a page, and its headings in their order. */
export function readPage(markdown: string): { blocks: Token[]; headings: Heading[] } {
  const blocks = lexer(markdown);
  const headings = blocks.filter(isHeading).map(({ depth, tokens }) => {
    const text = plain(tokens);
    return { depth, text, anchor: anchorOf(text) };
  });
  return { blocks, headings };
}
