import { type ReactNode, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Logo } from '~/ui/Logo';
import { ColourSwitch } from '../ColourSwitch';
import { LanguageSwitch } from '../LanguageSwitch';
import styles from './AuthLayout.module.css';
import lookout from './lookout.svg';

/** An image and a title beside the forms of sign-in. */
export function AuthLayout({ children }: { children: ReactNode }) {
  return (
    <div className={styles.auth}>
      <div className={styles.art}>
        <Logo />
        <img className={styles.image} src={lookout} alt="" />
        <Suspense fallback={null}>
          <Words />
        </Suspense>
      </div>
      <main className={styles.main}>
        <div className={styles.switches}>
          <LanguageSwitch />
          <ColourSwitch />
        </div>
        <div className={styles.form}>{children}</div>
      </main>
    </div>
  );
}

function Words() {
  const { t } = useTranslation('login');
  return (
    <div className={styles.words}>
      <p className={styles.title}>{t('art.title')}</p>
      <p className={styles.text}>{t('art.text')}</p>
    </div>
  );
}
