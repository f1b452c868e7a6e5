import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { type Me, meQuery } from '~/api/session';
import { parseSearch, stringifySearch } from '~/app/search';
import { ListScreen } from '~/list/ListScreen';
import type { AnyListDef } from '~/list/types';
import { theme } from '~/ui/theme';
import '~/ui/styles.css';

/** A list alone in its window, for tests that need layout; `address` tells what its address has become. */
export function shownList(list: AnyListDef, address: string, me: Me) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meQuery.queryKey, me);
  const root = createRootRoute({ staticData: { title: 'title.domains', layout: 'main', access: 'user' } });
  const route = createRoute({
    getParentRoute: () => root,
    path: list.path,
    staticData: { title: 'title.domains', layout: 'main', access: 'user' },
    validateSearch: (raw: Record<string, unknown>) => raw,
    component: () => (
      <div style={{ height: '90vh', display: 'flex' }}>
        <ListScreen def={list} />
      </div>
    ),
  });
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree: root.addChildren([route]), history, parseSearch, stringifySearch });
  const screen = (
    <MantineProvider theme={theme}>
      <Notifications position="top-right" />
      <QueryClientProvider client={queries}>
        <RouterProvider router={router as never} />
      </QueryClientProvider>
    </MantineProvider>
  );
  return { screen, address: () => parseSearch(router.state.location.searchStr) };
}
