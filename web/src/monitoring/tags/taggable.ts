import type { QueryClient } from '@tanstack/react-query';
import { linkTag, type Tag, type TagScope, unlinkTag } from '~/api/queries/tags';

/** A row that tags stand on. */
export interface TaggedRow {
  id: string;
  categories: readonly Tag[];
}

/** How the rows of a list carry tags. */
export interface Taggable<Row extends TaggedRow> {
  scope: TagScope;
  /** The start of the keys under which the list's pages are kept, and nothing else. */
  listKey: readonly string[];
  /** What a row is called. */
  nameOf(row: Row): string;
  /** The dealers or terms that the tags of these rows stand on, by row; rows without one are left out. */
  entitiesOf(rows: readonly Row[]): Promise<ReadonlyMap<string, number>>;
}

export interface Outcome {
  /** Rows whose tags are as wanted now. */
  changed: ReadonlySet<string>;
  /** Why the others are not; the last reason stands for all. */
  failed: number;
  error?: unknown;
}

/** Calls under way at the same time: as many as a browser sends to one server. */
const AT_ONCE = 6;

/** Puts a tag on rows, or takes it off. Each row succeeds or fails by itself; rows of one dealer are changed by one call. */
export async function changeTags<Row extends TaggedRow>(
  taggable: Taggable<Row>,
  rows: readonly Row[],
  tag: Tag,
  deed: 'add' | 'remove',
): Promise<Outcome> {
  const call = deed === 'add' ? linkTag : unlinkTag;
  const changed = new Set<string>();
  let error: unknown;
  let entities: ReadonlyMap<string, number>;
  try {
    entities = await taggable.entitiesOf(rows);
  } catch (cause) {
    return { changed, failed: rows.length, error: cause };
  }
  const groups = new Map<number, string[]>();
  for (const { id, categories } of rows) {
    // A tag is taken off where it stands; which need not be where a new one is put.
    const standing = deed === 'remove' ? categories.find((one) => one.id === tag.id)?.dealerId : undefined;
    const entity = standing ?? entities.get(id);
    if (entity !== undefined) groups.set(entity, [...(groups.get(entity) ?? []), id]);
  }
  const waiting = [...groups];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [entity, ids] = next;
      try {
        await call(taggable.scope, entity, tag.id);
        for (const id of ids) changed.add(id);
      } catch (cause) {
        error = cause;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { changed, failed: rows.length - changed.size, error };
}

/** Shows changed tags in every page of the list that is kept. */
export function showTags<Row extends TaggedRow>(
  queries: QueryClient,
  { listKey }: Taggable<Row>,
  changed: ReadonlySet<string>,
  tag: Tag,
  deed: 'add' | 'remove',
): void {
  queries.setQueriesData<{ rows: Row[] }>(
    { queryKey: listKey },
    (page) => page && { ...page, rows: page.rows.map((row) => (changed.has(row.id) ? withTag(row, tag, deed) : row)) },
  );
}

/** A row with a tag more or less. */
export function withTag<Row extends TaggedRow>(row: Row, tag: Tag, deed: 'add' | 'remove'): Row {
  const others = row.categories.filter(({ id }) => id !== tag.id);
  return { ...row, categories: deed === 'add' ? [...others, tag] : others };
}
