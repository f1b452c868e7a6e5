import { useQueries } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RowFigures } from '~/api/queries/figures';
import type { ListSearch } from '~/lib/listSearch';
import type { ListDef } from '../types';
import { type Figures, type FiguresStore, figuresOf } from './figures';

/** Rows per request. */
const CHUNK_SIZE = 50;
/** Rows visible for a shorter time are skipped. */
const VISIBLE_MS = 150;

/** The figures of the rows of a page. */
export interface FiguresByRow extends FiguresStore {
  /** Reports the visible rows, the only ones whose figures are loaded. */
  onRowsVisible(first: number, last: number): void;
}

const NONE: readonly never[] = [];
/** The chunks visible at first. */
const FIRST_CHUNK: readonly number[] = [0];

/** Adds the chunks of a range of rows; returns the same array if all are there. */
function withChunks(chunks: readonly number[], first: number, last: number): readonly number[] {
  const from = Math.floor(Math.max(0, first) / CHUNK_SIZE);
  const count = Math.floor(Math.max(0, last) / CHUNK_SIZE) - from + 1;
  const missing = Array.from({ length: count }, (_, index) => from + index).filter((index) => !chunks.includes(index));
  return missing.length > 0 ? [...chunks, ...missing] : chunks;
}

/**
 * Loads the figures of visible rows, after the list and without blocking it, by `CHUNK_SIZE` rows: the first ones at once, others when
 * `onRowsVisible` reports them for `VISIBLE_MS`. Loads nothing for a list without figures or without a `page`.
 */
export function useFigures<Row extends { id: string }, Meta>(
  { figures }: ListDef<Row, Meta>,
  search: ListSearch,
  page: { rows: readonly Row[]; meta: Meta } | undefined,
): FiguresByRow {
  const [chunkIndexes, setChunkIndexes] = useState(FIRST_CHUNK);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows start at the top
  useEffect(() => setChunkIndexes(FIRST_CHUNK), [search]);
  const rows = (figures && page?.rows) || NONE;
  const chunks = useMemo(
    () =>
      chunkIndexes
        .map((index) => rows.slice(index * CHUNK_SIZE, (index + 1) * CHUNK_SIZE))
        .filter(({ length }) => length > 0),
    [rows, chunkIndexes],
  );

  const settled = useRef<ReturnType<typeof setTimeout>>(undefined);
  const onRowsVisible = useCallback((first: number, last: number) => {
    clearTimeout(settled.current);
    settled.current = setTimeout(() => setChunkIndexes((before) => withChunks(before, first, last)), VISIBLE_MS);
  }, []);
  const known = useRef(new Map<string, Figures>());
  const answers = useQueries({
    queries: figures
      ? chunks.map((chunk) =>
          figures.query(
            search,
            chunk.map(({ id }) => id),
          ),
        )
      : [],
    combine: (results) => results.map(({ data }) => data),
  });
  // Reads each answer once, not again with every later one.
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows have other figures
  const read = useMemo(() => new WeakMap<RowFigures, Map<string, Figures>>(), [page, search]);
  const listeners = useRef(new Set<() => void>());
  const subscribe = useCallback((changed: () => void) => {
    listeners.current.add(changed);
    return () => void listeners.current.delete(changed);
  }, []);
  const byRow = useMemo(() => {
    const views = new Map(rows.map((row) => [row.id, figures?.views(row) ?? 0]));
    known.current = new Map();
    for (const answer of answers) {
      if (!answer || !page || !figures) continue;
      const found = read.get(answer) ?? figuresOf(answer, search, (id) => views.get(id) ?? 0, figures.total(page.meta));
      read.set(answer, found);
      for (const [id, of] of found) known.current.set(id, of);
    }
    return { of: (id: string) => known.current.get(id), subscribe, onRowsVisible };
  }, [answers, rows, page, figures, search, onRowsVisible, read, subscribe]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: cells read the figures that have come since
  useEffect(() => {
    for (const changed of listeners.current) changed();
  }, [byRow]);
  return byRow;
}
