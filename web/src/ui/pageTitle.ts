import { useRouterState } from '@tanstack/react-router';
import { useLayoutEffect, useSyncExternalStore } from 'react';

/** The product's name, spelled only here. */
export const PRODUCT = 'Vigie';

/** Section titles use ' - ' themselves. */
const SEPARATOR = ' | ';

export const pageTitle = (section: string): string => `${PRODUCT}${SEPARATOR}${section}`;

const titles = new Map<string, string>();
const listeners = new Set<() => void>();

function put(path: string, title: string | undefined): void {
  if (title === undefined) titles.delete(path);
  else titles.set(path, title);
  for (const listener of listeners) listener();
}

const subscribe = (changed: () => void) => {
  listeners.add(changed);
  return () => listeners.delete(changed);
};

/** Titles the current page by its content, in the window title, the breadcrumb and the announcement. */
export function useOwnTitle(title: string): void {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useLayoutEffect(() => {
    put(path, title);
    return () => put(path, undefined);
  }, [path, title]);
}

/** The title a page gave itself; undefined where the route's title applies. */
export const useTitleOf = (path: string): string | undefined => useSyncExternalStore(subscribe, () => titles.get(path));
