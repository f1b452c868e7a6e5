import { Tooltip, UnstyledButton } from '@mantine/core';
import { IconChevronsLeft, IconPin } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFlags } from '~/api/flags';
import { useMe } from '~/api/session';
import { Logo } from '~/ui/Logo';
import { menuFor, useRoutes } from './navigation';
import styles from './SideMenu.module.css';
import type { MenuState } from './useMenuState';

/** The side menu: pinned beside the page, or minimised and opened over it by hover or keyboard focus. A button pins or minimises it. */
export function SideMenu({ state }: { state: MenuState }) {
  const { t } = useTranslation('common');
  const open = state.pinned || state.hovering;
  const action = state.pinned ? t('menu.collapse') : t('menu.pin');
  return (
    <div className={styles.place} data-pinned={state.pinned || undefined}>
      <aside
        className={styles.menu}
        data-open={open || undefined}
        data-over={state.hovering || undefined}
        onMouseEnter={state.enter}
        onMouseLeave={state.leave}
        // Keyboard focus opens it as hovering does.
        onFocus={({ target }) => target.matches(':focus-visible') && state.enter()}
        onBlur={({ currentTarget, relatedTarget }) => !currentTarget.contains(relatedTarget) && state.leave()}
      >
        <Link to="/" className={styles.logo}>
          <Logo compact={!open} />
        </Link>
        <MenuLinks open={open} />
        <Tooltip label={action} position="right" disabled={open}>
          <UnstyledButton
            className={styles.toggle}
            aria-label={action}
            aria-expanded={state.pinned}
            onClick={state.togglePin}
          >
            {state.pinned ? <IconChevronsLeft size={20} /> : <IconPin size={20} />}
            {open && <span>{action}</span>}
          </UnstyledButton>
        </Tooltip>
      </aside>
    </div>
  );
}

interface Props {
  /** Shows the labels; otherwise only screen readers get them. */
  open: boolean;
  onNavigate?: () => void;
}

/** The sections of the menu, with links to the screens this user may open. Unless `open`, only icons show; `onNavigate` runs on each click. */
export function MenuLinks({ open, onNavigate }: Props) {
  const { t } = useTranslation('common');
  const groups = menuFor(useRoutes(), useMe(), useFlags());
  return (
    <nav className={styles.nav} aria-label={t('menu.label')}>
      {groups.map(({ section, items }) => (
        <section key={section} className={styles.section}>
          <h2 className={styles.heading}>
            {open ? t(`menu.${section}`) : <span className="visually-hidden">{t(`menu.${section}`)}</span>}
          </h2>
          <ul>
            {items.map(({ path, label, icon: Icon, Count }) => (
              <li key={path}>
                <Link
                  to={path}
                  className={styles.link}
                  activeOptions={{ exact: path === '/', includeSearch: false }}
                  onClick={onNavigate}
                >
                  <Icon size={20} stroke={1.7} aria-hidden />
                  <span className={open ? 'sentence' : 'visually-hidden'}>{t(label)}</span>
                  {Count && <Count />}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
