import { useQueries } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { RowFigures } from '~/api/queries/figures';
import type { ListSearch } from '~/lib/listSearch';
import type { ListDef } from '../types';
import { type Figures, figuresOf } from './figures';

/** Rows of one question. */
const TOGETHER = 50;

/** What cells draw from: the figures of a row once they are there, undefined before. */
export interface FiguresOfRows {
  of(id: string): Figures | undefined;
  /** Changes with every answer. */
  version: number;
  /** Says up to which row the reader sees; figures are asked for no further. */
  reach(row: number): void;
}

const NONE: readonly never[] = [];

/** The figures beside the rows that are seen. The list does not wait for them, and is none the worse without. */
export function useFigures<Row extends { id: string }, Meta>(
  { figures }: ListDef<Row, Meta>,
  search: ListSearch,
  page: { rows: readonly Row[]; meta: Meta } | undefined,
): FiguresOfRows {
  const [reached, setReached] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows begin at their top
  useEffect(() => setReached(0), [search]);
  const rows = (figures && page?.rows) || NONE;
  const chunks = useMemo(() => {
    const count = Math.min(Math.ceil(rows.length / TOGETHER), Math.floor(reached / TOGETHER) + 1);
    return Array.from({ length: count }, (_, index) => rows.slice(index * TOGETHER, (index + 1) * TOGETHER));
  }, [rows, reached]);

  const reach = useCallback((row: number) => setReached((before) => Math.max(before, row)), []);
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
  // An answer is read once for the rows it belongs to, not again with each that follows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows are other figures
  const read = useMemo(() => new WeakMap<RowFigures, Map<string, Figures>>(), [page, search]);
  const version = useRef(0);
  return useMemo(() => {
    const views = new Map(rows.map((row) => [row.id, figures?.views(row) ?? 0]));
    known.current = new Map();
    for (const answer of answers) {
      if (!answer || !page || !figures) continue;
      const found = read.get(answer) ?? figuresOf(answer, search, (id) => views.get(id) ?? 0, figures.total(page.meta));
      read.set(answer, found);
      for (const [id, of] of found) known.current.set(id, of);
    }
    version.current += 1;
    return {
      of: (id: string) => known.current.get(id),
      version: version.current,
      reach,
    };
  }, [answers, rows, page, figures, search, reach, read]);
}
