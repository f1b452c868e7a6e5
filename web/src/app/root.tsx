import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, redirect, retainSearchParams } from '@tanstack/react-router';
import { loadFlags, NO_FLAGS } from '~/api/flags';
import { loadSession } from '~/api/session';
import { changeLanguage, i18next } from '~/i18n';
import { asLanguage, type Language } from '~/i18n/language';
import { toast } from '~/ui/toast';
import { Shell } from './shell/Shell';
import { refusal } from './staticData';

/** The context of every route. */
export interface RouterContext {
  queries: QueryClient;
}

interface RootSearch {
  lng?: Language | undefined;
}

/** Guards every navigation by the static data of its route, and keeps the language in the address. */
export const rootRoute = createRootRouteWithContext<RouterContext>()({
  staticData: { title: 'title.dashboard', layout: 'simple', access: 'public' },
  // A missing key would keep the raw value of the address.
  validateSearch: (raw: Record<string, unknown>): RootSearch => ({ lng: asLanguage(raw.lng) }),
  search: { middlewares: [retainSearchParams(['lng'])] },
  beforeLoad: async ({ context: { queries }, matches, location, search }) => {
    if (search.lng) await changeLanguage(search.lng).catch(() => toast.error(i18next.t('generic.network')));
    const target = matches.at(-1)?.staticData;
    if (!target || target.access === 'public') return;

    const session = await loadSession(queries);
    // The menu needs them too, but only a flagged route awaits them.
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
