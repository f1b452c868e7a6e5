import type { QueryClient } from '@tanstack/react-query';
import type { Choice } from '~/api/queries/choices';
import { linkTag, type Tag, type TagScope, unlinkTag } from '~/api/queries/tags';
import type { Operation } from '~/api/queries/undo';
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
  /** The brand of a row, whose tags alone are offered beside shared ones. Left out, or null for any of the rows, all tags are. */
  brandOf?(row: Row): Choice | null;
  /** The ids of the dealers or terms that the rows' tags are linked to, by row id; rows without one are left out. */
  entitiesOf(rows: readonly Row[]): Promise<ReadonlyMap<string, number>>;
}

/** The brands of all rows, each once; undefined as a whole where any row has none, or the list has no `brandOf`. */
export function brandsOf<Row extends TaggedRow>(
  { brandOf }: Taggable<Row>,
  rows: readonly Row[],
): Choice[] | undefined {
  const brands = rows.map((row) => brandOf?.(row) ?? null);
  const known = brands.flatMap((brand) => brand ?? []);
  return known.length === brands.length ? [...new Map(known.map((brand) => [brand.value, brand])).values()] : undefined;
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

/**
 * Adds a tag to rows or removes it, by one call for each dealer or term: its rows succeed or fail together. Never rejects: the result has the
 * ids of the changed rows, the number of failed ones and the last error. Rows without a dealer or term count as failed. `undoable` names the
 * calls, so that they can be undone as one.
 */
export async function changeTags<Row extends TaggedRow>(
  taggable: Taggable<Row>,
  rows: readonly Row[],
  tag: Tag,
  operation: TagOperation,
  undoable: Operation,
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
      await call(taggable.scope, entity, tag.id, undoable);
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
