import { Menu, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronRight, IconHelp, IconLogout, IconUserEdit, IconWifiOff } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { fullName, isAdmin, isImpersonated, useMe } from '~/api/session';
import { useHandheld, useOnline } from '~/ui/environment';
import { Logo } from '~/ui/Logo';
import { lazyPart } from '~/ui/lazyPart';
import { useTitleOf } from '~/ui/pageTitle';
import { UserAvatar } from '~/ui/UserAvatar';
import styles from './Header.module.css';
import { crumbsOf, useRoutes } from './navigation';
import { SearchButton } from './SearchButton';
import { ColourSwitch, LanguageSwitch, WorkspaceSwitch } from './switches';

const WorkingAs = lazyPart(() => import('./WorkingAs').then((module) => module.WorkingAs));
const MobileMenu = lazyPart(() => import('./MobileMenu').then((module) => module.MobileMenu));
const Profile = lazyPart(() => import('~/screens/profile/Profile').then((module) => module.Profile), {
  texts: ['profile', 'avatar', 'password', 'login'],
});

interface Props {
  /** With a side menu, which holds the logo; in narrow windows the menu hides behind a button in this header. */
  withMenu: boolean;
}

/**
 * The bar above a page: switches, the account menu, and strips while offline or impersonating. `withMenu` is for pages with a side menu: a
 * breadcrumb replaces the logo, or in narrow windows a button that opens the menu is added.
 */
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
          <SearchButton compact={handheld} />
          <LanguageSwitch />
          <ColourSwitch />
          <UserBlock compact={handheld} />
        </div>
      </div>
    </header>
  );
}

/** A strip that says that the browser is offline; an empty status element while it is online. */
function OfflineStrip() {
  const { t } = useTranslation('common');
  const online = useOnline();
  return (
    <div role="status" className={online ? undefined : styles.strip}>
      {!online && (
        <>
          <IconWifiOff size={16} aria-hidden />
          <span>{t('offline.strip')}</span>
        </>
      )}
    </div>
  );
}

/** The path to this page; every step but the last is a link. The last one has the title that the page gave itself, if any. */
function Breadcrumb() {
  const { t } = useTranslation('common');
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const crumbs = crumbsOf(path, useRoutes());
  const own = useTitleOf(path);
  return (
    <nav aria-label={t('breadcrumb.label')}>
      <ol className={styles.breadcrumb}>
        {crumbs.map((crumb, index) => (
          <li key={crumb.path}>
            {index > 0 && <IconChevronRight size={14} aria-hidden />}
            {index < crumbs.length - 1 ? (
              <Link to={crumb.path} activeOptions={{ exact: true }}>
                {t(crumb.title)}
              </Link>
            ) : (
              <span aria-current="page">{own ?? t(crumb.title)}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The avatar of the signed-in user and, unless `compact`, name and role; its menu opens the profile and signs out. */
function UserBlock({ compact }: { compact: boolean }) {
  const { t } = useTranslation('common');
  const me = useMe();
  const [editing, profile] = useDisclosure();
  const name = fullName(me);
  const role = isAdmin(me) ? t('header.admin') : (me.companyAccount?.label ?? me.companyAccount?.name);
  return (
    <>
      {editing && <Profile onClose={profile.close} />}
      <Menu position="bottom-end" width={240}>
        <Menu.Target>
          <UnstyledButton className={styles.user} aria-label={t('header.account', { name })}>
            <UserAvatar name={name} avatarId={me.avatarId} />
            {!compact && (
              <span className={styles.names}>
                <span className={styles.name}>{name}</span>
                <span className={styles.role}>{role}</span>
              </span>
            )}
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{me.email}</Menu.Label>
          <Menu.Item leftSection={<IconUserEdit size={16} />} onClick={profile.open}>
            <span className="sentence">{t('header.editProfile')}</span>
          </Menu.Item>
          <Menu.Item component={Link} to="/help" leftSection={<IconHelp size={16} />}>
            {t('title.help')}
          </Menu.Item>
          <Menu.Item component={Link} to="/logout" leftSection={<IconLogout size={16} />}>
            <span className="sentence">{t('header.logout')}</span>
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
