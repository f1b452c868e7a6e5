import type { AnyRoute } from '@tanstack/react-router';
import type { ParseKeys } from 'i18next';

export interface Crumb {
  path: string;
  title: ParseKeys<'common'>;
}

/** The pages above a path and the page itself, from the path's segments; segments without a route of their own are left out. */
export function crumbsOf(path: string, routes: readonly AnyRoute[]): Crumb[] {
  const segments = path.split('/').filter(Boolean);
  const paths = ['/', ...segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`)];
  return paths.flatMap((ancestor) => {
    const title = routes.find((route) => route.fullPath === ancestor)?.options.staticData?.title;
    return title ? [{ path: ancestor, title }] : [];
  });
}
