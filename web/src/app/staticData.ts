import type { Icon } from '@tabler/icons-react';
import type { ParseKeys } from 'i18next';
import type { ComponentType } from 'react';
import type { Flag, Flags } from '~/api/flags';
import { isAdmin, isImpersonated, isStaff, type Me } from '~/api/session';
import type { GuidePage } from '~/lib/guide';

/** The rights that a route requires. */
export type Access = 'public' | 'user' | 'staff' | 'admin';

/** The frame around a screen; `embedded` is `main` unless the screen is in a frame of another page. */
export type Layout = 'main' | 'workspace' | 'embedded' | 'auth' | 'simple' | 'publicLogo';

/** Sections of the side menu, in their order. */
export const MENU_SECTIONS = ['home', 'monitoring', 'notifications', 'settings', 'stopAndGo', 'help'] as const;
export type MenuSection = (typeof MENU_SECTIONS)[number];

type Title = ParseKeys<'common'>;

/** A route's entry in the side menu; entries are ordered as in the route table. */
export interface MenuPlace {
  section: MenuSection;
  icon: Icon;
  /** Defaults to the title. */
  label?: Title;
  /** What waits there, as a number beside the label; nothing while it is 0. */
  Count?: ComponentType;
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
    /** The page of the guide that its empty states lead to. */
    guide?: GuidePage;
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
