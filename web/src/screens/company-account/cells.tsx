import type { CompanyRow } from '~/api/queries/companies';
import styles from './cells.module.css';

/** The brands that belong to a company account. */
export function Brands({ row }: { row: CompanyRow }) {
  if (row.brands.length === 0) return <span className={styles.none}>–</span>;
  return (
    <ul className={styles.brands}>
      {row.brands.map(({ id, label }) => (
        <li key={id} className={styles.brand}>
          {label}
        </li>
      ))}
    </ul>
  );
}

export const BrandsCell = ({ data }: { data?: CompanyRow }) => data && <Brands row={data} />;
