import type { ReactNode } from 'react';
import { Logo } from '~/ui/Logo';
import styles from './layouts.module.css';

/** The logo over a page that anybody may see. */
export function PublicLogoLayout({ children }: { children: ReactNode }) {
  return (
    <div className={styles.column}>
      <header className={styles.logoBar}>
        <Logo />
      </header>
      <main className={styles.page}>{children}</main>
    </div>
  );
}
