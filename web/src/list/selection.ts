import { useSyncExternalStore } from 'react';

/** The selected rows of a list. Kept outside React so that ticking a box renders the bar of actions and not the page. */
export interface Selection<Row> {
  get(): readonly Row[];
  set(rows: readonly Row[]): void;
  subscribe(changed: () => void): () => void;
}

export function createSelection<Row>(): Selection<Row> {
  let selected: readonly Row[] = [];
  const listeners = new Set<() => void>();
  return {
    get: () => selected,
    set(rows) {
      if (rows.length === 0 && selected.length === 0) return;
      selected = rows;
      for (const listener of listeners) listener();
    },
    subscribe(changed) {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
}

export const useSelected = <Row>(selection: Selection<Row>): readonly Row[] =>
  useSyncExternalStore(selection.subscribe, selection.get);
