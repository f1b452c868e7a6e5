import type { ReactNode } from 'react';
import styles from './layouts.module.css';

/** Nothing but the page. */
export function SimpleLayout({ children }: { children: ReactNode }) {
  return <main className={styles.simple}>{children}</main>;
}
