import { Link } from '@tanstack/react-router';

import { useTranslation } from 'react-i18next';
import { isImpersonated, useMe } from '~/api/session';
import { Logo } from '~/ui/Logo';
import { lazyPart } from '~/ui/lazyPart';
import { useHandheld } from '~/ui/useDevice';
import { Breadcrumb } from './Breadcrumb';
import { ColourSwitch } from './ColourSwitch';
import styles from './Header.module.css';
import { LanguageSwitch } from './LanguageSwitch';
import { OfflineStrip } from './OfflineStrip';
import { UserBlock } from './UserBlock';
import { WorkspaceSwitch } from './WorkspaceSwitch';

const WorkingAs = lazyPart(() => import('./WorkingAs').then((module) => module.WorkingAs));
const MobileMenu = lazyPart(() => import('./MobileMenu').then((module) => module.MobileMenu));

interface Props {
  /** Whether a side menu stands beside it: it holds the logo, and on narrow windows hides behind a button here. */
  withMenu: boolean;
}

/** The bar over a page: where one is, and who one is. */
export function Header({ withMenu }: Props) {
  const { t } = useTranslation('common');
  const handheld = useHandheld();
  const impersonated = isImpersonated(useMe());
  return (
    <header className={styles.top}>
      <OfflineStrip />
      {impersonated && <WorkingAs />}
      <div className={styles.header}>
        {withMenu && handheld && <MobileMenu />}
        {(!withMenu || handheld) && (
          <Link to="/" className={styles.logo} aria-label={t('header.home')}>
            <Logo compact={handheld} />
          </Link>
        )}
        {withMenu && !handheld && <Breadcrumb />}
        <WorkspaceSwitch />
        <div className={styles.end}>
          <LanguageSwitch />
          <ColourSwitch />
          <UserBlock compact={handheld} />
        </div>
      </div>
    </header>
  );
}
