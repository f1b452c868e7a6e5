import { type AnyRoute, useRouter } from '@tanstack/react-router';
import type { ParseKeys } from 'i18next';
import { type Flags, NO_FLAGS } from '~/api/flags';
import type { Me } from '~/api/session';
import { MENU_SECTIONS, type MenuPlace, type MenuSection, refusal } from '../staticData';

export interface MenuItem {
  path: string;
  label: ParseKeys<'common'>;
  icon: MenuPlace['icon'];
  Count?: MenuPlace['Count'];
}

export interface MenuGroup {
  section: MenuSection;
  items: MenuItem[];
}

/** The side menu of a user: the routes with a place in it that the user may open, by section in order; sections without routes are left out. */
export function menuFor(routes: readonly AnyRoute[], user: Me, flags: Flags = NO_FLAGS): MenuGroup[] {
  const open = routes.filter((route) => !refusal(staticDataOf(route), user, flags));
  return MENU_SECTIONS.map((section) => ({
    section,
    items: open.flatMap((route) => {
      const { menu, title } = staticDataOf(route);
      if (menu?.section !== section) return [];
      return [{ path: String(route.fullPath), label: menu.label ?? title, icon: menu.icon, Count: menu.Count }];
    }),
  })).filter(({ items }) => items.length > 0);
}

const staticDataOf = (route: AnyRoute) => route.options.staticData as NonNullable<AnyRoute['options']['staticData']>;

/** All routes, in the order of the route table. */
export const useRoutes = (): AnyRoute[] => Object.values(useRouter().routesById).filter((route) => !route.isRoot);

export interface Crumb {
  path: string;
  title: ParseKeys<'common'>;
}

/** The breadcrumb of a path: `/` and each leading part of the path, itself last, as far as they are routes with a title; others are left out. */
export function crumbsOf(path: string, routes: readonly AnyRoute[]): Crumb[] {
  const segments = path.split('/').filter(Boolean);
  const paths = ['/', ...segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`)];
  return paths.flatMap((ancestor) => {
    const title = routes.find((route) => matches(String(route.fullPath), ancestor))?.options.staticData?.title;
    return title ? [{ path: ancestor, title }] : [];
  });
}

/** Whether a path matches a route pattern; a segment such as `$id` matches any. */
function matches(route: string, path: string): boolean {
  const [pattern, segments] = [route.split('/'), path.split('/')];
  return (
    pattern.length === segments.length &&
    pattern.every((part, at) => part === segments[at] || (part.length > 1 && part.startsWith('$')))
  );
}

export interface Workspace {
  path: string;
  label: ParseKeys<'common'>;
}

/** In the order of the switch. */
const WORKSPACES: readonly Workspace[] = [
  { path: '/', label: 'title.statistics' },
  { path: '/actions', label: 'title.actions' },
  { path: '/todo', label: 'title.todo' },
];

/** The workspaces that exist as routes; none when there is only one, which needs no switch. */
export function openWorkspaces(paths: readonly string[]): readonly Workspace[] {
  const open = WORKSPACES.filter(({ path }) => paths.includes(path));
  return open.length > 1 ? open : [];
}

/** The workspace of a path; statistics is the default. */
export const workspaceOf = (path: string): string => {
  if (path === '/todo') return '/todo';
  return path === '/actions' || path.startsWith('/action/') ? '/actions' : '/';
};
