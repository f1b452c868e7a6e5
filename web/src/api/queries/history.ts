import { infiniteQueryOptions } from '@tanstack/react-query';
import type { AsOf } from '../asOf';
import { answer, client } from '../client';
import type { components } from '../schema';

/** What can be brought back, and has a trail. */
export type HistoryModel = 'Term' | 'Brand' | 'Category';

/** The author of an act, as far as the reader may know. */
export type Author = components['schemas']['AuthorView'];

/** A deleted row. */
export interface DeletedRow {
  id: number;
  /** The words of a term, the label of a brand or tag. */
  name: string;
  /** The engine of a term, in lower case. */
  engine: string | undefined;
  /** When it was deleted. */
  at: string;
  /** Until when it can be brought back. */
  until: string;
  /** Undefined if the reader may not know. */
  by: Author | undefined;
}

/** The prefix of the queries of deleted rows. */
export const deletedKey = ['deleted'] as const;

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The rows of a model that were deleted in the last 30 days and that the caller may bring back, newest first, in pages. */
export const deletedQuery = (model: HistoryModel) =>
  infiniteQueryOptions({
    queryKey: [...deletedKey, model],
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam: before, signal }) => {
      const path = { model };
      const { data, next } = await answer(
        client.GET('/api/Deleted/{model}', { params: { path, query: { before } }, signal }),
      );
      const rows = data.map(({ row, at, until, by }): DeletedRow => {
        const id = Number(row.id);
        const name = textOf(row.term) ?? textOf(row.label) ?? textOf(row.name) ?? String(id);
        return { id, name, engine: textOf(row.engine)?.toLowerCase(), at, until, by: by ?? undefined };
      });
      return { rows, next };
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  });

/** Brings deleted rows back, all or none. */
export const bringBack = async (model: HistoryModel, ids: readonly number[]): Promise<void> =>
  void (await answer(
    client.POST('/api/Deleted/{model}/bringBack', { params: { path: { model } }, body: { ids: [...ids] } }),
  ));

/** Something that was done to a row. */
export type TrailEntry = components['schemas']['TrailEntryView'];

/** What the rows are called that a page of a trail names, by model and id. */
export type TrailNames = Record<string, Record<string, string>>;

/** The trail of a row, newest first, in pages; with `since` only what was done after that. */
export const trailQuery = (model: HistoryModel, id: number, since?: AsOf) =>
  infiniteQueryOptions({
    queryKey: ['trail', model, id, since],
    initialPageParam: undefined as number | undefined,
    queryFn: async ({ pageParam: before, signal }) =>
      answer(
        client.GET('/api/Trails/{model}/{id}', { params: { path: { model, id }, query: { before, since } }, signal }),
      ),
    getNextPageParam: ({ next }) => next ?? undefined,
    // It is read again whenever it is opened.
    gcTime: 0,
  });
