import { whereClause } from '~/api/listQuery';
import type { ListSearch, Where } from '~/lib/listSearch';
import { describeWhere, type ListTexts } from './filters/kinds';
import type { AnyListDef, FilterDef } from './types';

/** One filter of a list with its value, as the drawer, the bar and the server use it. */
export interface FilterEntry {
  name: string;
  /** Names the filter among those of all lists: the list's path and its own name. */
  key: readonly string[];
  def: FilterDef;
  label: string;
  /** The value in words; empty when the filter is not applied. */
  description: string;
  /** The applied value. */
  value: Where | undefined;
  /** The value being edited in the drawer; becomes `value` on save. */
  valueNew: Where | undefined;
  /** The query pairs of `value`. */
  whereClause: [string, string][];
}

/** An entry for every filter of a list, applied or not, in the order of its definition: `value` is from `applied`, `valueNew` from `draft`. */
export function filterEntries(
  { path, filters }: Pick<AnyListDef, 'path' | 'filters'>,
  applied: ListSearch['filters'],
  draft: ListSearch['filters'],
  describer: ListTexts,
): FilterEntry[] {
  return Object.entries(filters).map(([name, def]: [string, FilterDef]) => {
    const value = applied[name];
    return {
      name,
      key: [path, name],
      def,
      label: describer.own(def.label),
      description: value ? describeWhere(def, value, describer) : '',
      value,
      valueNew: draft[name],
      whereClause: value ? whereClause(name, value) : [],
    };
  });
}

/** The entries by group, in order. */
export function entryGroups(entries: readonly FilterEntry[]): Map<string, FilterEntry[]> {
  const groups = new Map<string, FilterEntry[]>();
  for (const entry of entries) groups.set(entry.def.group, [...(groups.get(entry.def.group) ?? []), entry]);
  return groups;
}
