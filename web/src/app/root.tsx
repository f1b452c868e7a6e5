import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, redirect, retainSearchParams } from '@tanstack/react-router';
import { loadFlags, NO_FLAGS } from '~/api/flags';
import { loadSession } from '~/api/session';
import { changeLanguage, i18next } from '~/i18n';
import { asLanguage, type Language } from '~/i18n/language';
import { toast } from '~/ui/toast';
import { Shell } from './shell/Shell';
import { refusal } from './staticData';

/** What every route can use. */
export interface RouterContext {
  queries: QueryClient;
}

interface RootSearch {
  lng?: Language | undefined;
}

/** Checks every navigation against the route's own entry in the table, and keeps the language of the address. */
export const rootRoute = createRootRouteWithContext<RouterContext>()({
  staticData: { title: 'title.dashboard', layout: 'simple', access: 'public' },
  // A key that is left out would keep what the address says, whatever that is.
  validateSearch: (raw: Record<string, unknown>): RootSearch => ({ lng: asLanguage(raw.lng) }),
  search: { middlewares: [retainSearchParams(['lng'])] },
  beforeLoad: async ({ context: { queries }, matches, location, search }) => {
    if (search.lng) await changeLanguage(search.lng).catch(() => toast.error(i18next.t('generic.network')));
    const target = matches.at(-1)?.staticData;
    if (!target || target.access === 'public') return;

    const session = await loadSession(queries);
    // The menu needs them too, but no screen waits for what only the menu shows.
    const flags = session.user ? loadFlags(queries, session.user.id) : NO_FLAGS;
    const refused = refusal(target, session.user, target.flag ? await flags : NO_FLAGS);
    if (refused === 'login') {
      if (!session.user && session.expired) toast.warning(i18next.t('session.expired'));
      throw redirect({ to: '/login', search: { redirect: location.href } });
    }
    if (refused === 'home') throw redirect({ to: '/' });
  },
  component: Shell,
});
