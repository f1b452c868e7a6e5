import { describe, expect, it } from 'vitest';
import { formatsOf } from '~/lib/formats';
import type { Where } from '~/lib/listSearch';
import { entryGroups, filterEntries } from './entries';
import type { FilterDef } from './types';

const filters: Record<string, FilterDef> = {
  domain: { kind: 'chips', label: 'Domain', group: 'Words' },
  position: { kind: 'range', label: 'Position', group: 'Figures', min: 1, max: 15, step: 1 },
  adTitle: { kind: 'text', label: 'Title', group: 'Words' },
};
const words = { own: (key: string) => key, list: (key: string) => key, fmt: formatsOf('en') };

describe('the entries of a list', () => {
  const applied: Where = { type: 'inq', value: ['a.example'] };
  const edited: Where = { type: 'inq', value: ['b.example'] };
  const entries = filterEntries({ path: '/domains', filters }, { domain: applied }, { domain: edited }, words);

  it('hold what is applied apart from what is edited', () => {
    expect(entries[0]).toMatchObject({
      name: 'domain',
      key: ['/domains', 'domain'],
      label: 'Domain',
      description: 'a.example',
      value: applied,
      valueNew: edited,
      whereClause: [['filters[domain][inq][]', 'a.example']],
    });
  });

  it('are empty where nothing is applied', () => {
    expect(entries[2]).toMatchObject({ description: '', value: undefined, valueNew: undefined, whereClause: [] });
  });

  it('stand under their headings in the order of the definition', () => {
    const groups = [...entryGroups(entries)].map(([group, members]) => [group, members.map(({ name }) => name)]);
    expect(groups).toEqual([
      ['Words', ['domain', 'adTitle']],
      ['Figures', ['position']],
    ]);
  });
});
