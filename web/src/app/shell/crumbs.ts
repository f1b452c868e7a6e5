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
