import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** What each folder may import; imports go down only. */
const MAY_IMPORT: Record<string, string[]> = {
  app: ['screens', 'list', 'ui', 'api', 'i18n', 'lib'],
  screens: ['monitoring', 'list', 'ui', 'api', 'i18n', 'lib'],
  monitoring: ['list', 'ui', 'api', 'i18n', 'lib'],
  list: ['ui', 'api', 'i18n', 'lib'],
  ui: ['api', 'i18n', 'lib'],
  api: ['i18n', 'lib'],
  i18n: ['lib'],
  lib: [],
};

const SRC = import.meta.dirname;
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && file.includes('/'),
);

const folderOf = (file: string): string => file.split('/')[0] ?? '';

function importedFolders(file: string): string[] {
  const code = readFileSync(join(SRC, file), 'utf8');
  const names = [...code.matchAll(/(?:from|import\(?)\s*'([^']+)'/g)].map(([, name]) => name ?? '');
  return names.flatMap((name) => {
    if (name.startsWith('~/')) return [folderOf(name.slice(2))];
    return name.startsWith('.') ? [folderOf(normalize(join(dirname(file), name)))] : [];
  });
}

describe('imports', () => {
  it.each(Object.entries(MAY_IMPORT))('of %s go down only', (folder, below) => {
    const files = sources.filter((file) => folderOf(file) === folder);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const wrong = importedFolders(file).filter((target) => target !== folder && !below.includes(target));
      expect({ file, wrong }).toEqual({ file, wrong: [] });
    }
  });

  it('never lead from one screen to another', () => {
    const wrong = sources
      .filter((file) => folderOf(file) === 'screens')
      .filter((file) => /'~\/screens\/|'\.\.\//.test(readFileSync(join(SRC, file), 'utf8')));
    expect(wrong).toEqual([]);
  });
});
