import type { ReactNode } from 'react';
import { Header } from '../Header';
import styles from './layouts.module.css';

/** Header and page, without a side menu. */
export function WorkspaceLayout({ children }: { children: ReactNode }) {
  return (
    <div className={styles.column}>
      <Header withMenu={false} />
      <main className={styles.page}>{children}</main>
    </div>
  );
}
