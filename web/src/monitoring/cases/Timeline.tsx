import type { Tools } from '~/list/types';
import styles from './cases.module.css';
import { foldTimeline, type HistoryEntry, MOST_NODES, type TimelineNode, timelineOf } from './timeline';

interface Props {
  history: readonly HistoryEntry[];
  /** With the texts of `advertisers` and `actions`. */
  tools: Tools;
  most?: number;
}

/**
 * The statuses of a case in their order, the present one last and marked. What does not fit is folded into a number; reminders in a row are one node
 * with their number, whose earlier dates are in its title.
 */
export function Timeline({ history, tools, most = MOST_NODES }: Props) {
  const { t } = tools;
  const { folded, shown } = foldTimeline(timelineOf(history), most);
  return (
    <ol className={styles.timeline} aria-label={t('actions:timeline.label')}>
      {folded.length > 0 && (
        <li className={styles.folded} title={folded.map((node) => inWords(node, tools)).join(', ')}>
          <span aria-hidden>+{folded.length}</span>
          <span className="visually-hidden">{folded.map((node) => inWords(node, tools)).join(', ')}</span>
        </li>
      )}
      {shown.map((node, index) => (
        <Node key={node.id} node={node} isLast={index === shown.length - 1} tools={tools} />
      ))}
    </ol>
  );
}

/** One status with its date. */
function Node({ node, isLast, tools }: { node: TimelineNode; isLast: boolean; tools: Tools }) {
  const { status, date, earlier } = node;
  const words = inWords(node, tools);
  return (
    <li className={styles.node} data-status={status} aria-current={isLast ? 'step' : undefined} title={words}>
      <span className={styles.mark} aria-hidden />
      <span aria-hidden>
        <span className={`sentence ${styles.nodeName}`}>{tools.t(`advertisers:status.${status}`)}</span>
        {earlier.length > 0 && <span className={styles.times}> ×{earlier.length + 1}</span>}{' '}
        {date && (
          <time className={styles.nodeDate} dateTime={date}>
            {tools.fmt.shortDate(date)}
          </time>
        )}
      </span>
      <span className="visually-hidden">{words}</span>
    </li>
  );
}

/** A node with every date in full. */
function inWords({ status, date, earlier }: TimelineNode, { t, fmt }: Tools): string {
  const name = t(`advertisers:status.${status}`);
  const at = date ? fmt.date(date) : '';
  return earlier.length === 0
    ? t('actions:timeline.node', { status: name, date: at })
    : t('actions:timeline.run', { status: name, date: at, earlier: fmt.list(earlier.map((one) => fmt.date(one))) });
}
