import { redirect } from '@tanstack/react-router';
import { meQuery } from '~/api/session';
import { i18next } from '~/i18n';
import { dayjs } from '~/lib/dates';
import { parseListSearch, sameAddress, toAddress } from '~/list/address';
import { openingSearch } from '~/list/open';
import type { AnyListDef } from '~/list/types';
import type { RouterContext } from './context';

type Address = Record<string, unknown>;

/**
 * The options every list route shares. The address is made whole before anything is shown, so that it can be reloaded and shared,
 * and rows, texts and the grid are on their way while the screen's own code still loads.
 */
export function listRoute(load: () => Promise<AnyListDef>) {
  return {
    validateSearch: (raw: Address): Address => raw,
    beforeLoad: async ({ context, search }: { context: RouterContext; search: Address }) => {
      const [def, me] = await Promise.all([load(), context.queries.ensureQueryData(meQuery)]);
      const { lng, ...address } = search;
      const wanted = toAddress(await openingSearch(def, address, me, dayjs()));
      if (!sameAddress(wanted, address)) {
        throw redirect({ to: def.path, search: { ...(lng ? { lng } : {}), ...wanted }, replace: true } as never);
      }
    },
    loaderDeps: ({ search }: { search: Address }) => search,
    loader: async ({ context, deps }: { context: RouterContext; deps: Address }) => {
      void import('~/list/DataGrid');
      const def = await load();
      const me = await context.queries.ensureQueryData(meQuery);
      void context.queries.prefetchQuery(def.query(parseListSearch(def, deps, def.defaults(me, dayjs()))));
      await i18next.loadNamespaces(['list', ...def.ns]);
    },
  };
}
