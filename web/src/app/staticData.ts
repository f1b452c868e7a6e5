import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import type { Flag, Flags } from '~/api/flags';
import { isAdmin, isImpersonated, isStaff, type Me } from '~/api/session';

/** The rights that a route requires. */
export type Access = 'public' | 'user' | 'staff' | 'admin';

/** The frame around a screen. */
export type Layout = 'main' | 'workspace' | 'auth' | 'simple' | 'publicLogo';

/** Sections of the side menu, in their order. */
export const MENU_SECTIONS = ['home', 'monitoring', 'notifications', 'settings', 'stopAndGo'] as const;
export type MenuSection = (typeof MENU_SECTIONS)[number];

type Title = ParseKeys<'common'>;

/** A route's entry in the side menu; entries are ordered as in the route table. */
export interface MenuPlace {
  section: MenuSection;
  icon: Icon;
  /** Defaults to the title. */
  label?: Title;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    title: Title;
    layout: Layout;
    access: Access;
    flag?: Flag;
    /** Closed while an administrator impersonates a user. */
    closedWhileImpersonating?: true;
    menu?: MenuPlace;
  }
}

interface Guarded {
  access: Access;
  flag?: keyof Flags | undefined;
  closedWhileImpersonating?: true | undefined;
}

/** Where a refused visitor is sent. */
export type Refusal = 'login' | 'home';

/**
 * Where to send a visitor without the right to open a route: to sign in without a user; home without the role or the flag, or if it is closed while
 * impersonating. Undefined with the right.
 */
export function refusal(
  { access, flag, closedWhileImpersonating }: Guarded,
  user: Me | null,
  flags: Flags,
): Refusal | undefined {
  if (access === 'public') return undefined;
  if (!user) return 'login';
  if (access === 'admin' && !isAdmin(user)) return 'home';
  if (access === 'staff' && !isStaff(user)) return 'home';
  if (closedWhileImpersonating && isImpersonated(user)) return 'home';
  if (flag && !flags[flag]) return 'home';
  return undefined;
}
