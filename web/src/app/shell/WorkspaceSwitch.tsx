import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { flagsQuery } from '~/api/flags';
import { useMe } from '~/api/session';
import styles from './Header.module.css';
import { useRoutes } from './menu';
import { openWorkspaces, workspaceOf } from './workspaces';

/** Goes from one workspace to another, for those whose flag is on. */
export function WorkspaceSwitch() {
  const { t } = useTranslation('common');
  const { data: flags } = useQuery(flagsQuery(useMe().id));
  const current = useRouterState({ select: ({ location }) => workspaceOf(location.pathname) });
  const workspaces = openWorkspaces(useRoutes().map((route) => String(route.fullPath)));
  if (!flags?.header_workspaces_switch || workspaces.length === 0) return null;
  return (
    <nav className={styles.switch} aria-label={t('header.workspaces')}>
      {workspaces.map(({ path, label }) => (
        <Link key={path} to={path} className={styles.choice} aria-current={path === current}>
          {t(label)}
        </Link>
      ))}
    </nav>
  );
}
