import { type AnyRoute, useRouter } from '@tanstack/react-router';
import type { ParseKeys } from 'i18next';
import { type Flags, NO_FLAGS } from '~/api/flags';
import type { Me } from '~/api/session';
import { refusal } from '../guards';
import { MENU_SECTIONS, type MenuPlace, type MenuSection } from '../staticData';

export interface MenuItem {
  path: string;
  label: ParseKeys<'common'>;
  icon: MenuPlace['icon'];
}

export interface MenuGroup {
  section: MenuSection;
  items: MenuItem[];
}

/** The side menu for somebody: the routes of the table they may open, under their sections. */
export function menuFor(routes: readonly AnyRoute[], user: Me, flags: Flags = NO_FLAGS): MenuGroup[] {
  const open = routes.filter((route) => !refusal(staticDataOf(route), user, flags));
  return MENU_SECTIONS.map((section) => ({
    section,
    items: open.flatMap((route) => {
      const { menu, title } = staticDataOf(route);
      if (menu?.section !== section) return [];
      return [{ path: String(route.fullPath), label: menu.label ?? title, icon: menu.icon }];
    }),
  })).filter(({ items }) => items.length > 0);
}

const staticDataOf = (route: AnyRoute) => route.options.staticData as NonNullable<AnyRoute['options']['staticData']>;

/** The route table in its own order. */
export const useRoutes = (): AnyRoute[] => Object.values(useRouter().routesById).filter((route) => !route.isRoot);
