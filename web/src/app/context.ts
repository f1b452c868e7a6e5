import type { QueryClient } from '@tanstack/react-query';

/** What every route can use. */
export interface RouterContext {
  queries: QueryClient;
}
