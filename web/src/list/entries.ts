import { whereClause } from '~/api/listQuery';
import type { ListSearch, Where } from '~/lib/listSearch';
import { type Describer, describeWhere } from './filters/kinds';
import type { FilterDef } from './types';

/** One filter of a list as the panel, the strip and the server see it. */
export interface FilterEntry {
  name: string;
  def: FilterDef;
  label: string;
  /** The value in words; empty when the filter is not applied. */
  description: string;
  /** The value in force. */
  value: Where | undefined;
  /** The value being edited in the panel; becomes `value` when it is saved. */
  valueNew: Where | undefined;
  /** What the server is asked for. */
  whereClause: [string, string][];
}

/** The filters of a list, in the order of its definition. */
export function filterEntries(
  defs: Readonly<Record<string, FilterDef>>,
  applied: ListSearch['filters'],
  draft: ListSearch['filters'],
  describer: Describer,
): FilterEntry[] {
  return Object.entries(defs).map(([name, def]) => {
    const value = applied[name];
    return {
      name,
      def,
      label: describer.own(def.label),
      description: value ? describeWhere(def, value, describer) : '',
      value,
      valueNew: draft[name],
      whereClause: value ? whereClause(name, value) : [],
    };
  });
}

/** The entries under their headings, in order. */
export function entryGroups(entries: readonly FilterEntry[]): Map<string, FilterEntry[]> {
  const groups = new Map<string, FilterEntry[]>();
  for (const entry of entries) groups.set(entry.def.group, [...(groups.get(entry.def.group) ?? []), entry]);
  return groups;
}
