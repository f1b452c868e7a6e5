import type { QueryClient } from '@tanstack/react-query';
import { linkTag, type Tag, type TagScope, unlinkTag } from '~/api/queries/tags';
import { inParallel } from '~/lib/inParallel';

/** A row that can have tags. */
export interface TaggedRow {
  id: string;
  categories: readonly Tag[];
}

/** How the tags of a list's rows are stored and shown. */
export interface Taggable<Row extends TaggedRow> {
  scope: TagScope;
  /** The query key prefix of the list's pages, and of nothing else. */
  listKey: readonly string[];
  nameOf(row: Row): string;
  /** The ids of the dealers or terms that the rows' tags are linked to, by row id; rows without one are left out. */
  entitiesOf(rows: readonly Row[]): Promise<ReadonlyMap<string, number>>;
}

export type TagOperation = 'add' | 'remove';

interface TagResult {
  /** Ids of the rows that were changed. */
  changed: ReadonlySet<string>;
  /** The number of rows that were not. */
  failed: number;
  /** The last error, where there was one. */
  error?: unknown;
}

/** Adds a tag to rows or removes it. Each row succeeds or fails on its own; rows of the same dealer share one call. */
export async function changeTags<Row extends TaggedRow>(
  taggable: Taggable<Row>,
  rows: readonly Row[],
  tag: Tag,
  operation: TagOperation,
): Promise<TagResult> {
  const call = operation === 'add' ? linkTag : unlinkTag;
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
    // The tag may be linked to another dealer than the one a new tag would be linked to.
    const linked = operation === 'remove' ? categories.find((one) => one.id === tag.id)?.dealerId : undefined;
    const entity = linked ?? entities.get(id);
    if (entity !== undefined) groups.set(entity, [...(groups.get(entity) ?? []), id]);
  }
  await inParallel(groups, async ([entity, ids]) => {
    try {
      await call(taggable.scope, entity, tag.id);
      for (const id of ids) changed.add(id);
    } catch (cause) {
      error = cause;
    }
  });
  return { changed, failed: rows.length - changed.size, error };
}

/** Applies a tag change to every cached page of the list. */
export function updateCachedTags<Row extends TaggedRow>(
  queries: QueryClient,
  { listKey }: Taggable<Row>,
  changed: ReadonlySet<string>,
  tag: Tag,
  operation: TagOperation,
): void {
  queries.setQueriesData<{ rows: Row[] }>(
    { queryKey: listKey },
    (page) =>
      page && { ...page, rows: page.rows.map((row) => (changed.has(row.id) ? withTag(row, tag, operation) : row)) },
  );
}

/** A copy of the row with the tag added or removed. */
export function withTag<Row extends TaggedRow>(row: Row, tag: Tag, operation: TagOperation): Row {
  const others = row.categories.filter(({ id }) => id !== tag.id);
  return { ...row, categories: operation === 'add' ? [...others, tag] : others };
}
