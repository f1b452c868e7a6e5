import type { RouteComponent } from '@tanstack/react-router';
import { type ComponentType, createElement } from 'react';
import { ApiError, NETWORK } from '~/api/errors';
import type { AnyListDef } from '~/list/types';
import type { Address } from './loaders';
import type { RouterContext } from './root';

/** Waits for code or texts of our own. One that does not arrive is the same to a reader as a call that does not get through. */
export async function arrived<Loaded>(loading: Promise<Loaded>): Promise<Loaded> {
  try {
    return await loading;
  } catch {
    throw new ApiError(0, NETWORK, 'A part of the page cannot be loaded');
  }
}

/**
 * The component of a route, whose code is loaded with the route's data. What cannot be loaded is the error of the route, and is asked
 * for again with it. (The router's own lazy components reload the page instead, which loses it where the server is away.)
 */
export function lazyScreen(load: () => Promise<ComponentType>): RouteComponent {
  let loaded: ComponentType | undefined;
  const preload = async () => {
    loaded ??= await arrived(load());
  };
  const Screen = () => (loaded ? createElement(loaded) : null);
  return Object.assign(Screen, { preload });
}

/**
 * The options every list route shares. The address is made whole before anything is shown, and rows, texts and the grid are on
 * their way while the screen's own code still loads. What lists are made of is loaded with the first of them.
 */
export function listRoute(load: () => Promise<AnyListDef>, screen: () => Promise<ComponentType>) {
  const start = () => arrived(Promise.all([load(), import('./loaders')]));
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
      const [component] = await Promise.all([screen(), start()]);
      // Larger than all the rest together, and needed last.
      import('~/list/DataGrid').catch(() => undefined);
      return component;
    }),
  };
}
