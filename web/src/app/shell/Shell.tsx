import { Outlet, useRouterState } from '@tanstack/react-router';
import type { FC, ReactNode } from 'react';
import type { Layout } from '../staticData';
import { AuthLayout } from './layouts/AuthLayout';
import { MainLayout } from './layouts/MainLayout';
import { PublicLogoLayout } from './layouts/PublicLogoLayout';
import { SimpleLayout } from './layouts/SimpleLayout';
import { WorkspaceLayout } from './layouts/WorkspaceLayout';
import { RouteAnnouncer } from './RouteAnnouncer';

const LAYOUTS: Record<Layout, FC<{ children: ReactNode }>> = {
  main: MainLayout,
  workspace: WorkspaceLayout,
  auth: AuthLayout,
  simple: SimpleLayout,
  publicLogo: PublicLogoLayout,
};

/** The layout of the current route around its screen. */
export function Shell() {
  const layout = useRouterState({ select: ({ matches }) => matches.at(-1)?.staticData.layout ?? 'simple' });
  const Frame = LAYOUTS[layout];
  return (
    <>
      <RouteAnnouncer />
      <Frame>
        <Outlet />
      </Frame>
    </>
  );
}
