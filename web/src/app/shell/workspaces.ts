import type { ParseKeys } from 'i18next';

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
