import { type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { isFramed } from '~/monitoring/mails/frame';
import { useHandheld } from '~/ui/environment';
import { Logo } from '~/ui/Logo';
import { Header } from './Header';
import styles from './layouts.module.css';
import lookout from './lookout.svg';
import { SideMenu } from './SideMenu';
import { ColourSwitch, LanguageSwitch } from './switches';
import { useMenuState } from './useMenuState';

/** Side menu (in narrow windows a button in the header opens it), header and page, after a link that skips to the page. */
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

/** Header and page, without a side menu. */
export function WorkspaceLayout({ children }: { children: ReactNode }) {
  return (
    <div className={styles.column}>
      <Header withMenu={false} />
      <main className={styles.page}>{children}</main>
    </div>
  );
}

/** Nothing but the page, as high as the frame that it is in; outside of one, the main layout. */
export function EmbeddedLayout({ children }: { children: ReactNode }) {
  return isFramed() ? <main className={styles.embedded}>{children}</main> : <MainLayout>{children}</MainLayout>;
}

/** A sign-in form with the switches of language and colours, beside an image and a title. */
export function AuthLayout({ children }: { children: ReactNode }) {
  return (
    <div className={styles.auth}>
      <div className={styles.art}>
        <Logo />
        <img className={styles.artImage} src={lookout} alt="" />
        <Suspense fallback={null}>
          <ArtWords />
        </Suspense>
      </div>
      <main className={styles.authMain}>
        <div className={styles.switches}>
          <LanguageSwitch />
          <ColourSwitch />
        </div>
        <div className={styles.form}>{children}</div>
      </main>
    </div>
  );
}

/** The title and text on the image of the sign-in forms. Suspends until the texts of `login` are loaded. */
function ArtWords() {
  const { t } = useTranslation('login');
  return (
    <div className={styles.artWords}>
      <p className={styles.artTitle}>{t('art.title')}</p>
      <p className={styles.artText}>{t('art.text')}</p>
    </div>
  );
}

/** The layout of a public page: the logo, and the page below it. */
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

/** Nothing but the page. */
export function SimpleLayout({ children }: { children: ReactNode }) {
  return <main className={styles.simple}>{children}</main>;
}
