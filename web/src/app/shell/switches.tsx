import { ActionIcon, Tooltip, UnstyledButton, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useFlags } from '~/api/flags';
import { LANGUAGES } from '~/i18n/language';
import { lazyPart } from '~/ui/lazyPart';
import styles from './Header.module.css';
import { openWorkspaces, useRoutes, workspaceOf } from './navigation';

const ToDo = lazyPart(() => import('./ToDo').then((module) => module.ToDo));

/** A button for each language, which writes it to the address as `lng`; the navigation then switches the language. */
export function LanguageSwitch() {
  const { t, i18n } = useTranslation('common');
  const navigate = useNavigate();
  return (
    <fieldset className={styles.switch} aria-label={t('header.language')}>
      {LANGUAGES.map((language) => (
        <UnstyledButton
          key={language}
          className={styles.choice}
          aria-pressed={i18n.language === language}
          lang={language}
          onClick={() =>
            navigate({ to: '.', search: (all) => ({ ...all, lng: language }), state: true, replace: true })
          }
        >
          {language.toUpperCase()}
        </UnstyledButton>
      ))}
    </fieldset>
  );
}

/** A button that switches between light and dark; the system's scheme is the default. */
export function ColourSwitch() {
  const { t } = useTranslation('common');
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  const label = dark ? t('header.light') : t('header.dark');
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={34}
        aria-label={label}
        onClick={() => setColorScheme(dark ? 'light' : 'dark')}
      >
        {dark ? <IconSun size={18} /> : <IconMoon size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}

/** Links to the workspaces. Nothing unless the user's flag `header_workspaces_switch` is on and there are two or more. */
export function WorkspaceSwitch() {
  const { t } = useTranslation('common');
  const flags = useFlags();
  const current = useRouterState({ select: ({ location }) => workspaceOf(location.pathname) });
  const workspaces = openWorkspaces(useRoutes().map((route) => String(route.fullPath)));
  if (!flags?.header_workspaces_switch || workspaces.length === 0) return null;
  return (
    <nav className={`${styles.switch} ${styles.workspaces}`} aria-label={t('header.workspaces')}>
      {workspaces.map(({ path, label }) => (
        <Link
          key={path}
          to={path}
          className={styles.choice}
          // Pages of a workspace lie beside its path, not below it.
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={path === current}
        >
          {t(label)}
          {path === '/todo' && current !== '/' && <ToDo />}
        </Link>
      ))}
    </nav>
  );
}
