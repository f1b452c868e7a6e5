/** The list that a case was opened from, with its page, filters and order. */
export interface OriginList {
  path: '/actions' | '/todo';
  search: Record<string, unknown>;
}

/** `pathname` and `search` where they are those of a list of cases, without the language: it may be another one by then. */
export function asOriginList(pathname: string, { lng, ...search }: Record<string, unknown>): OriginList | undefined {
  return pathname === '/actions' || pathname === '/todo' ? { path: pathname, search } : undefined;
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Kept with the entry of a case in the browser's history; a case opened by its address has none. */
    originList?: OriginList | undefined;
  }
}
