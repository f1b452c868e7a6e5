import { createElement } from 'react';
import type { AnyListDef } from '~/list/types';
import { arrived, lazyScreen } from './code';
import type { RouterContext } from './context';
import type { Address } from './openList';

/**
 * The options every list route shares. The address is made whole before anything is shown, and rows, texts and the grid are on
 * their way while the screen's own code still loads. What lists are made of is loaded with the first of them.
 */
export function listRoute(load: () => Promise<AnyListDef>) {
  const start = () => arrived(Promise.all([load(), import('./openList')]));
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
      // Larger than all the rest together, and needed last.
      import('~/list/DataGrid').catch(() => undefined);
      return () => createElement(ListScreen, { def });
    }),
  };
}
