import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  type RouteComponent,
  RouterProvider,
} from '@tanstack/react-router';
import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { type Me, meQuery } from '~/api/session';
import { parseSearch, stringifySearch } from '~/app/search';
import { ListScreen } from '~/list/ListScreen';
import type { AnyListDef } from '~/list/types';
import { theme } from '~/ui/theme';
import '~/ui/styles.css';

const staticData = { title: 'title.dashboard', layout: 'main', access: 'user' } as const;

/** A query client that does not retry. */
const testQueries = () => new QueryClient({ defaultOptions: { queries: { retry: false } } });

/**
 * Renders a part of the interface with theme, toasts and queries (a client without retries by default), but without a router. Returns the result
 * of `render`.
 */
export function renderWithProviders(children: ReactNode, queries: QueryClient = testQueries()) {
  return render(
    <MantineProvider theme={theme}>
      <Notifications position="top-right" />
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </MantineProvider>,
  );
}

/**
 * Renders a component as the only route, `path`, of a router opened at `address`. The returned `address()` gives the parsed search of the current
 * address, `back` goes back from a page that the screen has opened, and `push` opens another address.
 */
export function renderRoute(path: string, component: RouteComponent, address: string, queries?: QueryClient) {
  const root = createRootRoute({ staticData });
  const route = createRoute({
    getParentRoute: () => root,
    path,
    staticData,
    validateSearch: (raw: Record<string, unknown>) => raw,
    component,
  });
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree: root.addChildren([route]), history, parseSearch, stringifySearch });
  renderWithProviders(<RouterProvider router={router} />, queries);
  return {
    address: () => parseSearch(router.state.location.searchStr),
    path: () => router.state.location.pathname,
    back: () => history.back(),
    push: history.push,
  };
}

/**
 * Renders the screen of a list at `address` (path and search) for the signed-in user `me`, nearly as high as the window, for tests that need layout.
 * Returns what `renderRoute` returns.
 */
export function renderList(list: AnyListDef, address: string, me: Me) {
  const queries = testQueries();
  queries.setQueryData(meQuery.queryKey, me);
  const screen = () => (
    <div style={{ height: '90vh', display: 'flex' }}>
      <ListScreen def={list} />
    </div>
  );
  return renderRoute(list.path, screen, address, queries);
}
