import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { flagsQuery } from '~/api/flags';
import { useMe } from '~/api/session';
import { menuFor, useRoutes } from './menu';
import styles from './SideMenu.module.css';

interface Props {
  /** Labels are shown; otherwise they are only there for screen readers. */
  open: boolean;
  onNavigate?: () => void;
}

/** The sections of the menu with the screens one may open. */
export function MenuLinks({ open, onNavigate }: Props) {
  const { t } = useTranslation('common');
  const me = useMe();
  const { data: flags } = useQuery(flagsQuery(me.id));
  const groups = menuFor(useRoutes(), me, flags);
  return (
    <nav className={styles.nav} aria-label={t('menu.label')}>
      {groups.map(({ section, items }) => (
        <section key={section} className={styles.section}>
          <h2 className={styles.heading}>
            {open ? t(`menu.${section}`) : <span className="visually-hidden">{t(`menu.${section}`)}</span>}
          </h2>
          <ul>
            {items.map(({ path, label, icon: Icon }) => (
              <li key={path}>
                <Link
                  to={path}
                  className={styles.link}
                  activeOptions={{ exact: path === '/', includeSearch: false }}
                  onClick={onNavigate}
                >
                  <Icon size={20} stroke={1.7} aria-hidden />
                  <span className={open ? 'sentence' : 'visually-hidden'}>{t(label)}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
