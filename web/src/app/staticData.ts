import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import type { Flag, Flags } from '~/api/flags';
import { isAdmin, isImpersonated, type Me } from '~/api/session';

/** Who may open a route. */
export type Access = 'public' | 'user' | 'admin';

/** What stands around a screen. */
export type Layout = 'main' | 'workspace' | 'auth' | 'simple' | 'publicLogo';

/** Sections of the side menu, in their order. */
export const MENU_SECTIONS = ['home', 'monitoring', 'notifications', 'settings', 'stopAndGo'] as const;
export type MenuSection = (typeof MENU_SECTIONS)[number];

type Title = ParseKeys<'common'>;

/** Where a route stands in the side menu; its place in the section is its place in the route table. */
export interface MenuPlace {
  section: MenuSection;
  icon: Icon;
  /** When the menu calls it otherwise than its title. */
  label?: Title;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title: Title;
    layout: Layout;
    access: Access;
    flag?: Flag;
    /** Closed while an administrator works as somebody else. */
    asOneself?: true;
    menu?: MenuPlace;
  }
}

interface Guarded {
  access: Access;
  flag?: keyof Flags | undefined;
  asOneself?: true | undefined;
}

/** Where somebody who may not open a route goes instead. */
export type Refusal = 'login' | 'home';

/** Whether a route is refused to somebody, and where they go then. */
export function refusal({ access, flag, asOneself }: Guarded, user: Me | null, flags: Flags): Refusal | undefined {
  if (access === 'public') return undefined;
  if (!user) return 'login';
  if (access === 'admin' && !isAdmin(user)) return 'home';
  if (asOneself && isImpersonated(user)) return 'home';
  if (flag && !flags[flag]) return 'home';
  return undefined;
}
