/** A status that a case had. */
export interface HistoryEntry {
  ID: number;
  status: string;
  date: string;
  previousDate: readonly string[];
}

/** One node of a timeline: a status, or a run of reminders with their earlier dates. */
export interface TimelineNode {
  id: number;
  status: string;
  /** Of a run, that of the latest. */
  date: string;
  /** The dates before it, the latest first; empty but for a run. */
  earlier: readonly string[];
}

/** The only status whose repetitions are one node. */
const REMINDED = 'reminded';

/** The history as nodes, the oldest first: consecutive reminders are one, dated by the latest of them. */
export function timelineOf(history: readonly HistoryEntry[]): TimelineNode[] {
  const nodes: TimelineNode[] = [];
  for (const { ID, status, date, previousDate } of history) {
    const last = nodes.at(-1);
    if (status === REMINDED && last?.status === REMINDED) {
      nodes[nodes.length - 1] = { id: ID, status, date, earlier: [...previousDate, last.date, ...last.earlier] };
    } else {
      nodes.push({ id: ID, status, date, earlier: previousDate });
    }
  }
  return nodes;
}

/** Nodes that are shown at most; one is needed for the newest. */
export const MOST_NODES = 5;

/** The newest nodes, and the older ones that `most` leaves no room for. */
export function foldTimeline(nodes: readonly TimelineNode[], most: number = MOST_NODES) {
  const folded = Math.max(0, nodes.length - most);
  return { folded: nodes.slice(0, folded), shown: nodes.slice(folded) };
}
