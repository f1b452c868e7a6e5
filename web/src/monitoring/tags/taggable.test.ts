import { QueryClient } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { newOperation } from '~/api/queries/undo';
import { changeTags, type Taggable, type TaggedRow, updateCachedTags, withTag } from './taggable';

const { linkTag, unlinkTag } = vi.hoisted(() => ({ linkTag: vi.fn(), unlinkTag: vi.fn() }));
vi.mock('~/api/queries/tags', () => ({ linkTag, unlinkTag }));

const tag = { id: 9, label: 'Reseller' };
const operation = newOperation();
const rows: TaggedRow[] = ['a', 'b', 'c'].map((id) => ({ id, categories: [] }));
const taggable = (entities: [string, number][]): Taggable<TaggedRow> => ({
  scope: 'tag',
  listKey: ['domains', 'list'],
  nameOf: ({ id }) => id,
  entitiesOf: async () => new Map(entities),
});

afterEach(() => vi.resetAllMocks());

describe('changing the tags of rows', () => {
  it('counts failed rows separately', async () => {
    linkTag.mockImplementation(async (_scope: string, id: number) => {
      if (id === 2) throw new Error('refused');
    });
    const all: [string, number][] = [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ];
    const outcome = await changeTags(taggable(all), rows, tag, 'add', operation);
    expect([...outcome.changed].sort()).toEqual(['a', 'c']);
    expect(outcome.failed).toBe(1);
    expect(outcome.error).toEqual(new Error('refused'));
  });

  it('makes one call for rows of the same dealer, and counts rows without one as failed', async () => {
    const outcome = await changeTags(
      taggable([
        ['a', 1],
        ['b', 1],
      ]),
      rows,
      tag,
      'remove',
      operation,
    );
    expect(unlinkTag.mock.calls).toEqual([['tag', 1, 9, operation]]);
    expect([...outcome.changed]).toEqual(['a', 'b']);
    expect(outcome.failed).toBe(1);
  });

  it('removes a tag from the dealer it is linked to', async () => {
    const tagged: TaggedRow[] = [
      { id: 'a', categories: [{ ...tag, dealerId: 7 }] },
      { id: 'b', categories: [tag] },
    ];
    const all: [string, number][] = [
      ['a', 1],
      ['b', 2],
    ];
    await changeTags(taggable(all), tagged, tag, 'remove', operation);
    expect(unlinkTag.mock.calls).toEqual([
      ['tag', 7, 9, operation],
      ['tag', 2, 9, operation],
    ]);
  });

  it('fails for all rows when their dealers cannot be looked up', async () => {
    const lost = { ...taggable([]), entitiesOf: () => Promise.reject(new Error('away')) };
    expect((await changeTags(lost, rows, tag, 'add', operation)).failed).toBe(3);
  });

  it('changes the cached pages of the list and none of its other queries', () => {
    const queries = new QueryClient();
    const figures = { total: 7 };
    queries.setQueryData(['domains', 'list', 'x'], { rows });
    queries.setQueryData(['domains', 'figures', 'x'], figures);
    updateCachedTags(queries, taggable([]), new Set(['b']), tag, 'add');
    expect(queries.getQueryData<{ rows: TaggedRow[] }>(['domains', 'list', 'x'])?.rows[1]?.categories).toEqual([tag]);
    expect(queries.getQueryData(['domains', 'figures', 'x'])).toBe(figures);
  });

  it('shows a tag on a row once', () => {
    const row = withTag(withTag({ id: 'a', categories: [] }, tag, 'add'), tag, 'add');
    expect(row.categories).toEqual([tag]);
    expect(withTag(row, tag, 'remove').categories).toEqual([]);
  });
});
