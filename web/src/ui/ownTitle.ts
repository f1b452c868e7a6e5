import { useRouterState } from '@tanstack/react-router';
import { useLayoutEffect, useSyncExternalStore } from 'react';

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

/** Names a page by what it shows, wherever it is named: title of the window, breadcrumb, announcement. */
export function useOwnTitle(title: string): void {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useLayoutEffect(() => {
    put(path, title);
    return () => put(path, undefined);
  }, [path, title]);
}

/** What a page calls itself; nothing where it is called as its route is. */
export const useTitleOf = (path: string): string | undefined => useSyncExternalStore(subscribe, () => titles.get(path));
