import type { CompanyRow } from '~/api/queries/companies';
import type { Tools } from '~/list/types';
import { CompanyMenu } from './CompanyMenu';
import { Brands } from './cells';
import styles from './cells.module.css';

/** A company account on a narrow screen. */
export function CompanyCard({ row, tools: { t, fmt } }: { row: CompanyRow; tools: Tools }) {
  return (
    <article className={styles.card}>
      <div>
        <h2 className={styles.title}>{row.name}</h2>
        <p className={styles.figure}>
          {t('column.totalViews')} <strong>{fmt.count(row.totalViews)}</strong>
        </p>
      </div>
      <CompanyMenu row={row} />
      <Brands row={row} />
    </article>
  );
}
