import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useHandheld } from '~/ui/useDevice';
import { Header } from '../Header';
import { SideMenu } from '../SideMenu';
import { useMenuState } from '../useMenuState';
import styles from './layouts.module.css';

/** Side menu, header and page. */
export function MainLayout({ children }: { children: ReactNode }) {
  const { t } = useTranslation('common');
  const handheld = useHandheld();
  const menu = useMenuState();
  return (
    <div className={styles.main}>
      <a className={styles.skip} href="#content">
        {t('skip')}
      </a>
      {!handheld && <SideMenu state={menu} />}
      <div className={styles.column}>
        <Header withMenu />
        <main id="content" className={styles.page} tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}
