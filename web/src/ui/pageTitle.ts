import { useRouterState } from '@tanstack/react-router';
import { useLayoutEffect, useSyncExternalStore } from 'react';

/** The product's name: the only place that spells it for titles and marks. */
export const PRODUCT = 'Vigie';

/** Stands between the product name and the section in page titles (section titles use ' - ' themselves). */
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
