import { type AnyRoute, useRouter } from '@tanstack/react-router';
import type { ParseKeys } from 'i18next';
import { type Flags, NO_FLAGS } from '~/api/flags';
import type { Me } from '~/api/session';
import { MENU_SECTIONS, type MenuPlace, type MenuSection, refusal } from '../staticData';

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

export interface Crumb {
  path: string;
  title: ParseKeys<'common'>;
}

/** The pages above a path and the page itself, from the path's segments; segments without a route of their own are left out. */
export function crumbsOf(path: string, routes: readonly AnyRoute[]): Crumb[] {
  const segments = path.split('/').filter(Boolean);
  const paths = ['/', ...segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`)];
  return paths.flatMap((ancestor) => {
    const title = routes.find((route) => matches(String(route.fullPath), ancestor))?.options.staticData?.title;
    return title ? [{ path: ancestor, title }] : [];
  });
}

/** Whether a path is one of a route: a segment such as `$id` stands for any. */
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

/** The three workspaces of the switch, in their order. */
const WORKSPACES: readonly Workspace[] = [
  { path: '/', label: 'title.statistics' },
  { path: '/actions', label: 'title.actions' },
  { path: '/todo', label: 'title.todo' },
];

/** The workspaces that can be opened: a switch needs two to switch between. */
export function openWorkspaces(paths: readonly string[]): readonly Workspace[] {
  const open = WORKSPACES.filter(({ path }) => paths.includes(path));
  return open.length > 1 ? open : [];
}

/** The workspace a path belongs to: everything outside the other two is statistics. */
export const workspaceOf = (path: string): string => {
  if (path === '/todo') return '/todo';
  return path === '/actions' || path.startsWith('/action/') ? '/actions' : '/';
};
