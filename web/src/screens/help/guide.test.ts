import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { QueryClient } from '@tanstack/react-query';
import type { Token, Tokens } from 'marked';
import { walkTokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { makeRouter } from '~/app/routes';
import { LANGUAGES, type Language } from '~/i18n/language';
import { asGuidePage, GUIDE_PAGES } from './guidePages';
import { readPage } from './headings';

const ROOT = join(import.meta.dirname, '../../../..');
const GUIDE = join(ROOT, 'docs/guide');
/** Width and height of pictures: the style of pages has this shape. */
const PICTURE = [1200, 750];

const fileOf = (language: Language, page: string) => join(GUIDE, language, `${page}.md`);
const pageOf = (language: Language, page: string) => readPage(readFileSync(fileOf(language, page), 'utf8'));

function tokensOf(language: Language, page: string): Token[] {
  const all: Token[] = [];
  walkTokens(pageOf(language, page).blocks, (token) => {
    all.push(token);
  });
  return all;
}

const ofType = <Kind extends Token>(tokens: readonly Token[], type: Kind['type']): Kind[] =>
  tokens.filter((token): token is Kind => token.type === type);

/** What a page is made of, without its words: what must be the same in both languages. */
function outline(language: Language, page: string): string[] {
  const shape = (token: Token): string => {
    switch (token.type) {
      case 'heading':
        return `heading ${(token as Tokens.Heading).depth}`;
      case 'table':
        return `table of ${(token as Tokens.Table).header.length} by ${(token as Tokens.Table).rows.length}`;
      case 'list':
        return `list of ${(token as Tokens.List).items.length}`;
      default:
        return token.type;
    }
  };
  return pageOf(language, page)
    .blocks.filter(({ type }) => type !== 'space')
    .map(shape);
}

const pairs = LANGUAGES.flatMap((language) => GUIDE_PAGES.map((page) => [language, page] as const));

describe('the guide', () => {
  it.each(LANGUAGES)('has every page in %s, and no other', (language) => {
    const files = readdirSync(join(GUIDE, language)).map((file) => file.replace('.md', ''));
    expect(files.sort()).toEqual([...GUIDE_PAGES].sort());
  });

  it.each(GUIDE_PAGES)('has the same parts of %s in both languages', (page) => {
    expect(outline('fr', page)).toEqual(outline('en', page));
    expect(outline('en', page)[0]).toBe('heading 1');
  });

  it.each(pairs)('calls a page as the list of pages does, in %s: %s', (language, page) => {
    const texts = JSON.parse(readFileSync(join(ROOT, `libs/texts/${language}/help.json`), 'utf8'));
    expect(texts.page[page]).toBe(pageOf(language, page).headings[0]?.text);
  });

  it.each(pairs)('has no two headings with one anchor, in %s: %s', (language, page) => {
    const anchors = pageOf(language, page).headings.map(({ anchor }) => anchor);
    expect(anchors).toEqual([...new Set(anchors)]);
  });

  it.each(pairs)('links to what there is, in %s: %s', (language, page) => {
    for (const { href } of ofType<Tokens.Link>(tokensOf(language, page), 'link')) {
      if (href.startsWith('https://')) continue;
      const [file = '', anchor] = decodeURIComponent(href).split('#');
      const target = file === '' ? page : asGuidePage(file.replace(/\.md$/, ''));
      expect(target, href).toBeDefined();
      const anchors = pageOf(language, target ?? page).headings.map((heading) => heading.anchor);
      if (anchor) expect(anchors, href).toContain(anchor);
    }
  });

  it.each(pairs)('has the pictures that it shows, in %s: %s', (language, page) => {
    for (const { href, text } of ofType<Tokens.Image>(tokensOf(language, page), 'image')) {
      const picture = join(GUIDE, language, href);
      expect(href.startsWith(`../images/${language}/`), href).toBe(true);
      expect(text.trim(), href).not.toBe('');
      expect(existsSync(picture), href).toBe(true);
      const bytes = readFileSync(picture);
      expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], href).toEqual(PICTURE);
    }
  });

  it('shows each of its pictures', () => {
    const shown = pairs.flatMap(([language, page]) =>
      ofType<Tokens.Image>(tokensOf(language, page), 'image').map(({ href }) => href.replace('../images/', '')),
    );
    const files = LANGUAGES.flatMap((language) =>
      readdirSync(join(GUIDE, 'images', language)).map((file) => `${language}/${file}`),
    );
    expect(files.sort()).toEqual(shown.sort());
  });

  it.each(pairs)('has nothing that would be shown as it is written, in %s: %s', (language, page) => {
    const html = ofType<Tokens.HTML>(tokensOf(language, page), 'html');
    expect(html.map(({ raw }) => raw)).toEqual([]);
  });
});

/** Layouts of screens for signed-in users. */
const OF_USERS = ['main', 'workspace', 'embedded'];

describe('the routes', () => {
  const routes = Object.values(makeRouter({ queries: new QueryClient() }).routesById)
    .filter((route) => !route.isRoot)
    .map(({ fullPath, options }) => ({ path: String(fullPath), options }));

  it('have a page of the guide each, which their empty states lead to', () => {
    const without = routes
      .filter(({ options }) => OF_USERS.includes(options.staticData.layout) && 'component' in options)
      .filter(({ options }) => asGuidePage(options.staticData.guide ?? '') === undefined)
      .map(({ path }) => path);
    expect(without).toEqual(['/help', '/help/$page']);
  });

  it('lead to each page of the guide but the first days of those who have no screen of their own', () => {
    const led = new Set(routes.map(({ options }) => options.staticData.guide));
    expect(GUIDE_PAGES.filter((page) => !led.has(page))).toEqual([
      'first-day-brand-owner',
      'first-day-operator',
      'proof',
    ]);
  });
});
