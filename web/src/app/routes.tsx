import {
  IconActivityHeartbeat,
  IconBuilding,
  IconBuildingStore,
  IconHome,
  IconListDetails,
  IconSearch,
  IconSpeakerphone,
  IconTag,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { loadSession, meQuery } from '~/api/session';
import { loadTexts } from '~/i18n';
import { safeRedirect } from '~/lib/redirect';
import { lazyScreen, listRoute, orNetworkError } from './lazyRoutes';
import type { RouterContext } from './root';
import { rootRoute } from './root';
import { parseSearch, stringifySearch } from './search';
import { RouteError, RoutePending } from './shell/routeStates';

/** Tabs of the operations page; the first is the default. */
const OPERATIONS_TABS = ['reviews', 'capacity', 'schedules', 'jobs', 'acts'] as const;
const REVIEW_KINDS = ['doubtful', 'quarantined', 'failed'] as const;

/** Periods the home page offers, in days. */
const HOME_DAYS = [7, 30, 90] as const;

const texts =
  (...namespaces: string[]) =>
  () =>
    orNetworkError(loadTexts(namespaces));

/*
 * The route table: titles, menu, breadcrumb, layouts and guards are all derived from it.
 */
const home = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  staticData: {
    title: 'title.dashboard',
    layout: 'main',
    access: 'user',
    menu: { section: 'home', icon: IconHome, label: 'menu.dashboard' },
  },
  validateSearch: (raw: Record<string, unknown>): { days?: (typeof HOME_DAYS)[number] } => {
    const days = HOME_DAYS.find((offered) => String(offered) === String(raw.days));
    return days ? { days } : {};
  },
  loader: texts('home', 'market'),
  component: lazyScreen(() => import('~/screens/home/Home').then((module) => module.Home)),
});

/** The id of a company account in an address; undefined for anything else. */
const companySearch = ({ company }: Record<string, unknown>): { company?: number | undefined } => {
  const id = Number(company);
  return { company: Number.isSafeInteger(id) && id > 0 ? id : undefined };
};

const start = createRoute({
  getParentRoute: () => rootRoute,
  path: '/start',
  staticData: { title: 'title.start', layout: 'main', access: 'staff' },
  validateSearch: companySearch,
  loader: texts('start'),
  component: lazyScreen(() => import('./StartForms').then((module) => module.StartForms)),
});

const terms = createRoute({
  getParentRoute: () => rootRoute,
  path: '/terms',
  staticData: {
    title: 'title.terms',
    layout: 'main',
    access: 'user',
    menu: { section: 'monitoring', icon: IconSearch },
  },
  ...listRoute(() => import('~/screens/terms/Terms').then((module) => module.termsList)),
});

const domains = createRoute({
  getParentRoute: () => rootRoute,
  path: '/domains',
  staticData: {
    title: 'title.domains',
    layout: 'main',
    access: 'user',
    menu: { section: 'monitoring', icon: IconWorld },
  },
  ...listRoute(() => import('~/screens/domains/Domains').then((module) => module.domainsList)),
});

const summary = createRoute({
  getParentRoute: () => rootRoute,
  path: '/action/sem/data/summary/$filter',
  staticData: { title: 'title.domains', layout: 'main', access: 'user' },
  beforeLoad: async ({ params }) => {
    const { summaryFilters, withBrandNames } = await import('./summary');
    const search = await withBrandNames(summaryFilters(params.filter));
    throw redirect({ to: '/domains', search, replace: true });
  },
});

const advertisers = createRoute({
  getParentRoute: () => rootRoute,
  path: '/advertisers',
  staticData: {
    title: 'title.advertisers',
    layout: 'main',
    access: 'user',
    menu: { section: 'notifications', icon: IconSpeakerphone },
  },
  ...listRoute(() => import('~/screens/advertisers/Advertisers').then((module) => module.advertisersList)),
});

const actions = createRoute({
  getParentRoute: () => rootRoute,
  path: '/actions',
  staticData: { title: 'title.actions', layout: 'workspace', access: 'user', flag: 'header_workspaces_switch' },
  ...listRoute(() => import('~/screens/actions/Actions').then((module) => module.actionsList)),
});

const todo = createRoute({
  getParentRoute: () => rootRoute,
  path: '/todo',
  staticData: { title: 'title.todo', layout: 'workspace', access: 'user', flag: 'header_workspaces_switch' },
  ...listRoute(() => import('~/screens/actions/Actions').then((module) => module.todoList)),
});

const action = createRoute({
  getParentRoute: () => rootRoute,
  path: '/action/$id',
  staticData: { title: 'title.action', layout: 'main', access: 'user' },
  loader: async ({ context, params }) => (await orNetworkError(import('./loaders'))).openCase(context, params.id),
  component: lazyScreen(() => import('~/screens/action/Action').then((module) => module.Action)),
});

const operationsSearch = (
  raw: Record<string, unknown>,
): { tab?: (typeof OPERATIONS_TABS)[number]; kind?: (typeof REVIEW_KINDS)[number]; capture?: string } => {
  const tab = OPERATIONS_TABS.find((one) => one === raw.tab);
  const kind = REVIEW_KINDS.find((one) => one === raw.kind);
  return {
    ...(tab && { tab }),
    ...(kind && { kind }),
    ...(typeof raw.capture === 'string' && { capture: raw.capture }),
  };
};

const captureSearch = (raw: Record<string, unknown>): { domain?: string; adstype?: string } => ({
  ...(typeof raw.domain === 'string' && { domain: raw.domain }),
  ...(typeof raw.adstype === 'string' && { adstype: raw.adstype }),
});

const publicCapture = createRoute({
  getParentRoute: () => rootRoute,
  path: '/public-html-ad-content/$requestID',
  staticData: { title: 'title.capture', layout: 'publicLogo', access: 'public' },
  validateSearch: captureSearch,
  loader: texts('capture', 'market', 'list'),
  component: lazyScreen(() => import('~/screens/capture/Capture').then((module) => module.Capture)),
});

const capture = createRoute({
  getParentRoute: () => rootRoute,
  path: '/terms/capture/$requestID',
  staticData: { title: 'title.capture', layout: 'main', access: 'user' },
  validateSearch: captureSearch,
  loader: texts('capture', 'market', 'list'),
  component: lazyScreen(() => import('~/screens/capture/Capture').then((module) => module.GuardedCapture)),
});

const operations = createRoute({
  getParentRoute: () => rootRoute,
  path: '/operations',
  staticData: {
    title: 'title.operations',
    layout: 'main',
    access: 'admin',
    menu: { section: 'settings', icon: IconActivityHeartbeat },
  },
  validateSearch: operationsSearch,
  loader: texts('operations', 'capacity', 'capture', 'home', 'market'),
  component: lazyScreen(() => import('~/screens/operations/Operations').then((module) => module.Operations)),
});

const tags = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tags',
  staticData: {
    title: 'title.tags',
    layout: 'main',
    access: 'user',
    menu: { section: 'settings', icon: IconTag },
  },
  ...listRoute(() => import('~/screens/tags/Tags').then((module) => module.tagsList)),
});

const brands = createRoute({
  getParentRoute: () => rootRoute,
  path: '/brands',
  staticData: {
    title: 'title.brands',
    layout: 'main',
    access: 'admin',
    menu: { section: 'settings', icon: IconBuildingStore },
  },
  ...listRoute(() => import('~/screens/brands/Brands').then((module) => module.brandsList)),
});

const settingTerms = createRoute({
  getParentRoute: () => rootRoute,
  path: '/terms-management',
  staticData: {
    title: 'title.settingTerms',
    layout: 'main',
    access: 'user',
    menu: { section: 'settings', icon: IconListDetails },
  },
  ...listRoute(() => import('~/screens/terms-management/SettingTerms').then((module) => module.settingTermsList)),
});

const companyAccount = createRoute({
  getParentRoute: () => rootRoute,
  path: '/company-account',
  staticData: {
    title: 'title.companyAccount',
    layout: 'main',
    access: 'admin',
    menu: { section: 'settings', icon: IconBuilding },
  },
  ...listRoute(() => import('~/screens/company-account/CompanyAccounts').then((module) => module.companyAccountsList)),
});

const users = createRoute({
  getParentRoute: () => rootRoute,
  path: '/users',
  staticData: {
    title: 'title.users',
    layout: 'main',
    access: 'admin',
    closedWhileImpersonating: true,
    menu: { section: 'settings', icon: IconUsers },
  },
  ...listRoute(() => import('~/screens/users/Users').then((module) => module.usersList)),
});

const createUser = createRoute({
  getParentRoute: () => rootRoute,
  path: '/users/create',
  staticData: { title: 'title.createUser', layout: 'main', access: 'admin', closedWhileImpersonating: true },
  validateSearch: companySearch,
  loader: texts('users', 'avatar'),
  component: lazyScreen(() => import('~/screens/users/UserPages').then((module) => module.CreateUserPage)),
});

const editUser = createRoute({
  getParentRoute: () => rootRoute,
  path: '/users/$id',
  staticData: { title: 'title.user', layout: 'main', access: 'admin', closedWhileImpersonating: true },
  loader: async ({ context, params }) => (await import('./loaders')).openUser(context, params.id),
  component: lazyScreen(() => import('~/screens/users/UserPages').then((module) => module.UserPage)),
});

const login = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  staticData: { title: 'title.login', layout: 'auth', access: 'public' },
  validateSearch: (raw: Record<string, unknown>): { redirect?: string } =>
    typeof raw.redirect === 'string' ? { redirect: raw.redirect } : {},
  beforeLoad: async ({ context: { queries }, search }) => {
    const session = await loadSession(queries).catch(() => null);
    if (session?.user) throw redirect({ href: safeRedirect(search.redirect) });
  },
  loader: texts('login'),
  component: lazyScreen(() => import('~/screens/login/Login').then((module) => module.Login)),
});

const forgot = createRoute({
  getParentRoute: () => rootRoute,
  path: '/forgot',
  staticData: { title: 'title.forgot', layout: 'auth', access: 'public' },
  loader: texts('login', 'password'),
  component: lazyScreen(() => import('~/screens/forgot/Forgot').then((module) => module.Forgot)),
});

const reset = createRoute({
  getParentRoute: () => rootRoute,
  // Old links carry the token in the path, where logs and referrers keep it; new ones carry it after the hash.
  path: '/reset/{-$token}',
  staticData: { title: 'title.reset', layout: 'auth', access: 'public' },
  loader: texts('login', 'password'),
  component: lazyScreen(() => import('~/screens/reset/Reset').then((module) => module.Reset)),
});

const confirmFailed = createRoute({
  getParentRoute: () => rootRoute,
  path: '/confirm/failed',
  staticData: { title: 'title.confirmFailed', layout: 'auth', access: 'public' },
  loader: texts('login', 'password'),
  component: lazyScreen(() => import('~/screens/confirm/ConfirmFailed').then((module) => module.ConfirmFailed)),
});

const logout = createRoute({
  getParentRoute: () => rootRoute,
  path: '/logout',
  staticData: { title: 'title.logout', layout: 'auth', access: 'public' },
  loader: texts('login'),
  component: lazyScreen(() => import('~/screens/logout/Logout').then((module) => module.Logout)),
});

const notFound = createRoute({
  getParentRoute: () => rootRoute,
  path: '/404',
  staticData: { title: 'title.notFound', layout: 'simple', access: 'public' },
  component: lazyScreen(() => import('~/screens/not-found/NotFound').then((module) => module.NotFound)),
});

const unknown = createRoute({
  getParentRoute: () => rootRoute,
  path: '$',
  staticData: { title: 'title.notFound', layout: 'simple', access: 'public' },
  beforeLoad: () => {
    throw redirect({ to: '/404', replace: true });
  },
});

const routeTree = rootRoute.addChildren([
  home,
  start,
  terms,
  domains,
  summary,
  advertisers,
  actions,
  todo,
  action,
  publicCapture,
  capture,
  tags,
  settingTerms,
  brands,
  companyAccount,
  users,
  createUser,
  editUser,
  operations,
  login,
  logout,
  forgot,
  reset,
  confirmFailed,
  notFound,
  unknown,
]);

export const makeRouter = (context: RouterContext) =>
  createRouter({
    routeTree,
    context,
    parseSearch,
    stringifySearch,
    defaultErrorComponent: RouteError,
    defaultPendingComponent: RoutePending,
    defaultPendingMs: 300,
    scrollRestoration: true,
  });

/** Starts loading the code of the addressed screen and, unless it is public, the signed-in user. */
export function startScreen(router: ReturnType<typeof makeRouter>, { queries }: RouterContext): void {
  const [matchedRoutes] = router.getMatchedRoutes(router.latestLocation.pathname);
  if (matchedRoutes.at(-1)?.options.staticData?.access !== 'public') void queries.prefetchQuery(meQuery);
  // The router loads the chunk again and reports the error.
  for (const route of matchedRoutes) router.loadRouteChunk(route)?.catch(() => undefined);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
