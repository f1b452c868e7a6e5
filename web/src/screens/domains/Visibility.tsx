import type { DomainRow } from '~/api/queries/domains';
import type { Tools } from '~/list/types';
import type { Cell } from '~/monitoring/cells';
import styles from './Visibility.module.css';

/** The part of all views, with a bar of which the whole track is all of them. */
export function Visibility({ row, tools }: { row: DomainRow; tools: Tools }) {
  return (
    <span className={styles.visibility}>
      <span className={styles.percent}>{tools.fmt.visibility(row.share)}</span>
      <span className={styles.track} aria-hidden>
        <span className={styles.bar} style={{ width: `${row.share}%` }} />
      </span>
    </span>
  );
}

export const VisibilityCell = ({ data, context }: Cell<DomainRow>) => data && <Visibility row={data} tools={context} />;
