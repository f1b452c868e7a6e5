import { Tooltip, UnstyledButton } from '@mantine/core';
import { IconChevronsLeft, IconPin } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { Logo } from '~/ui/Logo';
import { MenuLinks } from './MenuLinks';
import styles from './SideMenu.module.css';
import type { MenuState } from './useMenuState';

/** The side menu: open beside the page, or minimised and open over it while the pointer rests there. */
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
        // Who goes through it by keyboard reads it as who points at it does.
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
