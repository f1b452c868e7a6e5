import type { Author } from '~/api/queries/history';

/** A status that a case had. */
export interface HistoryEntry {
  ID: string | number;
  status: string;
  /** Unknown in some old records. */
  date?: string | null;
  /** Of a reminder: the dates of those before it. */
  previousDate: readonly string[];
  /** Null for Vigie itself. */
  actor?: Author | null;
}

/** One node of a timeline: a status, or a run of reminders with their earlier dates. */
export interface TimelineNode {
  id: string | number;
  status: string;
  /** Of a run, that of the latest; undefined where it is not known. */
  date: string | undefined;
  /** The dates before it, the latest first; empty but for a run. */
  earlier: readonly string[];
  /** The author, of a run that of the latest; undefined for Vigie itself. */
  by: Author | undefined;
}

/** The only status whose repetitions are one node. */
const REMINDED = 'reminded';

/** The history as nodes, the oldest first: consecutive reminders are one, dated by the latest of them. */
export function timelineOf(history: readonly HistoryEntry[]): TimelineNode[] {
  const nodes: TimelineNode[] = [];
  for (const { ID, status, date, previousDate, actor } of history) {
    const last = nodes.at(-1);
    const run =
      status === REMINDED && last?.status === REMINDED ? [...last.earlier, ...(last.date ? [last.date] : [])] : [];
    const node = {
      id: ID,
      status,
      date: date ?? undefined,
      earlier: latestFirst([...previousDate, ...run], date),
      by: actor ?? undefined,
    };
    if (last && status === REMINDED && last.status === REMINDED) nodes[nodes.length - 1] = node;
    else nodes.push(node);
  }
  return nodes;
}

/** The dates but one, each once. */
const latestFirst = (dates: readonly string[], but: string | null | undefined): string[] =>
  [...new Set(dates)].filter((date) => date !== but).sort((one, other) => (one < other ? 1 : -1));

/** Nodes that are shown at most, in a wide window. */
export const MOST_NODES = 5;

/** The newest nodes, and the older ones that `most` leaves no room for. */
export function foldTimeline(nodes: readonly TimelineNode[], most: number = MOST_NODES) {
  const folded = Math.max(0, nodes.length - most);
  return { folded: nodes.slice(0, folded), shown: nodes.slice(folded) };
}
