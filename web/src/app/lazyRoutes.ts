import type { RouteComponent } from '@tanstack/react-router';
import { type ComponentType, createElement } from 'react';
import { ApiError, NETWORK } from '~/api/errors';
import type { AnyListDef } from '~/list/types';
import type { Address } from './loaders';
import type { RouterContext } from './root';

/** Loads code or texts of our own; throws any failure as a network error, which the screens can show. */
export async function orNetworkError<Loaded>(loading: Promise<Loaded>): Promise<Loaded> {
  try {
    return await loading;
  } catch {
    throw new ApiError(0, NETWORK, 'A part of the page cannot be loaded');
  }
}

/**
 * A route component whose code loads with the route's data. A failed load becomes the route's error and is retried with it. (The
 * router's own lazy components reload the page instead, and lose it when the server is down.)
 */
export function lazyScreen(load: () => Promise<ComponentType>): RouteComponent {
  let loaded: ComponentType | undefined;
  const preload = async () => {
    loaded ??= await orNetworkError(load());
  };
  const Screen = () => (loaded ? createElement(loaded) : null);
  return Object.assign(Screen, { preload });
}

/**
 * The route options of the list whose definition `load` imports. An incomplete address is redirected to the complete one before anything
 * renders; rows, texts and the grid load in parallel with the list screen. The code of lists loads with the first list.
 */
export function listRoute(load: () => Promise<AnyListDef>) {
  const start = () => orNetworkError(Promise.all([load(), import('./loaders')]));
  return {
    validateSearch: (raw: Address): Address => raw,
    beforeLoad: async ({ context, search }: { context: RouterContext; search: Address }) => {
      const [def, { completeAddress }] = await start();
      await completeAddress(def, context, search);
    },
    loaderDeps: ({ search }: { search: Address }) => search,
    loader: async ({ context, deps }: { context: RouterContext; deps: Address }) => {
      const [def, { startList }] = await start();
      await startList(def, context, deps);
    },
    component: lazyScreen(async () => {
      const [{ ListScreen }, [def]] = await Promise.all([import('~/list/ListScreen'), start()]);
      // What shows the rows is the last chunk needed; the grid is the largest of all.
      const view = def.view === 'cards' ? import('~/list/cards/CardsView') : import('~/list/DataGrid');
      view.catch(() => undefined);
      return () => createElement(ListScreen, { def });
    }),
  };
}
