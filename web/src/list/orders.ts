import type { ColumnChoice } from './columnChoice';
import type { Describer } from './filters/kinds';
import type { AnyListDef, Filters } from './types';

/** An order that is offered; `text` is shown as it is. */
export interface Order {
  order: string;
  text: string;
}

/** The orders offered beside the table: those of the list's own menu and, where there are no heads of columns to click, those of the columns. */
export function offeredOrders(
  def: AnyListDef,
  filters: Filters,
  words: Describer,
  columns: ColumnChoice['columns'] | undefined,
): Order[] {
  const own = (def.sortMenu?.(filters) ?? []).map(({ order, label }) => ({ order, text: words.own(label) }));
  const others = (columns ?? [])
    .filter(({ id }) => def.sorts.includes(id) && own.every(({ order }) => order !== id))
    .map(({ id, label }) => ({ order: id, text: label }));
  return [...own, ...others];
}
