import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from './language';
import quoted from './spec-strings.json';

const SRC = join(import.meta.dirname, '..');
const ROOT = join(SRC, '../..');
const TEXTS = join(ROOT, 'libs/texts');
const PLURAL = /_(?:one|many|other)$/;
/** The plural forms each language needs; without `_many` one million has no text in French. */
const FORMS: Record<Language, string[]> = { en: ['one', 'other'], fr: ['many', 'one', 'other'] };

const namespaces = readdirSync(join(TEXTS, 'en')).map((file) => file.replace('.json', ''));

function flatten(tree: object, path = ''): [string, string][] {
  return Object.entries(tree).flatMap(([key, value]: [string, unknown]) =>
    typeof value === 'string' ? [[path + key, value] as [string, string]] : flatten(value as object, `${path}${key}.`),
  );
}

const texts = (language: Language, namespace: string): Map<string, string> =>
  new Map(flatten(JSON.parse(readFileSync(join(TEXTS, language, `${namespace}.json`), 'utf8'))));

const stems = (language: Language, namespace: string) =>
  [...new Set([...texts(language, namespace).keys()].map((key) => key.replace(PLURAL, '')))].sort();

/** The code of the files below a folder, except tests. */
const sources = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|rs)$/.test(file) && !/\.test\.tsx?$/.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');

const placeholders = (text: string) => [...text.matchAll(/\{\{\s*(\w+)/g)].map(([, name]) => name).sort();

describe.each(namespaces)('the texts of %s', (namespace) => {
  it('have the same keys in both languages', () => {
    expect(stems('fr', namespace)).toEqual(stems('en', namespace));
  });

  it('take the same values in both languages', () => {
    const english = texts('en', namespace);
    for (const [key, text] of texts('fr', namespace)) {
      const other = english.get(key) ?? english.get(key.replace(PLURAL, '_other'));
      expect({ key, values: placeholders(text) }).toEqual({ key, values: placeholders(other ?? '') });
    }
  });

  it.each(LANGUAGES)('have every plural form of %s', (language) => {
    const keys = [...texts(language, namespace).keys()].filter((key) => PLURAL.test(key));
    for (const stem of new Set(keys.map((key) => key.replace(PLURAL, '')))) {
      const forms = keys.filter((key) => key.replace(PLURAL, '') === stem).map((key) => key.split('_').at(-1));
      expect({ stem, forms: forms.sort() }).toEqual({ stem, forms: FORMS[language] });
    }
  });

  it('are never empty', () => {
    for (const language of LANGUAGES) {
      for (const [key, text] of texts(language, namespace)) expect(text.trim(), key).not.toBe('');
    }
  });
});

describe('the files of texts', () => {
  it('are the same in both languages', () => {
    expect(readdirSync(join(TEXTS, 'fr')).sort()).toEqual(readdirSync(join(TEXTS, 'en')).sort());
  });

  it('have no unused text', () => {
    const code = [SRC, join(ROOT, 'api/src')].map(sources).join('\n');
    const literals = new Set(code.match(/'[^'"`\s]+'|"[^'"`\s]+"|`[^'"`\s$]*\$\{/g));
    const named = (namespace: string, stem: string) => {
      const whole = [`'${stem}'`, `'${namespace}:${stem}'`, `"${namespace}:${stem}"`];
      // `state.${state}`: the text is chosen by a value.
      const dynamic = [`\`${stem.replace(/[^.]+$/, '')}\${`, `\`${namespace}:${stem.replace(/[^.]+$/, '')}\${`];
      return whole.some((key) => literals.has(key)) || (stem.includes('.') && dynamic.some((key) => literals.has(key)));
    };
    // The keys of mails are composed by `libs/texts`, whose own tests compare them with the kinds of mail.
    const unused = namespaces
      .filter((namespace) => namespace !== 'mails')
      .flatMap((namespace) =>
        stems('en', namespace)
          .filter((stem) => !named(namespace, stem))
          .map((stem) => `${namespace}:${stem}`),
      );
    expect(unused).toEqual([]);
  });
});

describe('the texts fixed by the specification', () => {
  it.each(quoted)('$key in $language is written as it is quoted', ({ key, language, text }) => {
    const [namespace = '', path = ''] = key.split(':');
    expect(texts(language as Language, namespace).get(path)).toBe(text);
  });
});
