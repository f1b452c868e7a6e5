import { Outlet, useRouterState } from '@tanstack/react-router';
import { type FC, type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { isFramed } from '~/monitoring/mails/frame';
import { lazyPart } from '~/ui/lazyPart';
import { pageTitle, useTitleOf } from '~/ui/pageTitle';
import type { Layout } from '../staticData';
import { AuthLayout, EmbeddedLayout, MainLayout, PublicLogoLayout, SimpleLayout, WorkspaceLayout } from './layouts';
import { UndoPlace } from './UndoPlace';

const ConflictPlace = lazyPart(() => import('./ConflictPlace').then((module) => module.ConflictPlace));
const LeavingPlace = lazyPart(() => import('./LeavingPlace').then((module) => module.LeavingPlace));

const LAYOUTS: Record<Layout, FC<{ children: ReactNode }>> = {
  main: MainLayout,
  workspace: WorkspaceLayout,
  embedded: EmbeddedLayout,
  auth: AuthLayout,
  simple: SimpleLayout,
  publicLogo: PublicLogoLayout,
};

/** The current screen in the layout of its route (`simple` without one), with its title announced. */
export function Shell() {
  const layout = useRouterState({ select: ({ matches }) => matches.at(-1)?.staticData.layout ?? 'simple' });
  const Frame = LAYOUTS[layout];
  return (
    <>
      <RouteAnnouncer />
      <Frame>
        <Outlet />
      </Frame>
      {(layout === 'main' || layout === 'workspace' || (layout === 'embedded' && !isFramed())) && (
        <>
          <LeavingPlace />
          <UndoPlace />
          <ConflictPlace />
        </>
      )}
    </>
  );
}

/** Sets the window title and announces each new page to screen readers; moves the focus to its heading, except on the first page. */
function RouteAnnouncer() {
  const { t } = useTranslation('common');
  const title = useRouterState({ select: ({ matches }) => matches.at(-1)?.staticData.title });
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const own = useTitleOf(path ?? '');
  const section = own ?? (title ? t(title) : '');
  const shown = useRef<string>(undefined);

  useEffect(() => {
    if (section) document.title = pageTitle(section);
  }, [section]);

  useEffect(() => {
    // The browser announces the first page itself, and a page may have put the focus where the reader left it.
    const isNew = shown.current !== undefined && shown.current !== path;
    if (isNew && !document.querySelector('main :focus')) document.querySelector('h1')?.focus();
    shown.current = path;
  }, [path]);

  return (
    <div className="visually-hidden" aria-live="polite" role="status">
      {section}
    </div>
  );
}
