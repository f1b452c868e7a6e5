import { IconChevronRight } from '@tabler/icons-react';
import { Link, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useTitleOf } from '~/ui/ownTitle';
import { crumbsOf } from './crumbs';
import styles from './Header.module.css';
import { useRoutes } from './menu';

/** The way to the page, each step but the last a link. */
export function Breadcrumb() {
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
