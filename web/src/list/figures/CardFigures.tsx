import type { Tools } from '../types';
import styles from './CardFigures.module.css';
import { FIGURE_COLUMNS } from './columns';
import type { Figures } from './figures';
import { Change, Presence, Trend } from './parts';

const PARTS = { trend: Trend, change: Change, presence: Presence };

/** The figures beside a row, at the foot of its card. */
export function CardFigures({ figures, tools }: { figures: Figures | undefined; tools: Tools }) {
  return (
    <dl className={styles.figures}>
      {FIGURE_COLUMNS.map((id) => {
        const Part = PARTS[id];
        return (
          <div key={id} className={styles.figure}>
            <dt>{tools.t(`list:figures.${id}`)}</dt>
            <dd>
              <Part figures={figures} tools={tools} />
            </dd>
          </div>
        );
      })}
    </dl>
  );
}
