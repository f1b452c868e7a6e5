import {
  IconActivityHeartbeat,
  IconBellRinging,
  IconBrandGoogle,
  IconBuilding,
  IconBuildingStore,
  IconHelp,
  IconHome,
  IconLayoutDashboard,
  IconListDetails,
  IconMailQuestion,
  IconMailShare,
  IconNews,
  IconPigMoney,
  IconPlayerPause,
  IconScale,
  IconSearch,
  IconSpeakerphone,
  IconTag,
  IconTemplate,
  IconTrafficLights,
  IconUsers,
  IconWorld,
} from '@tabler/icons-react';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { loadSession, meQuery } from '~/api/session';
import { loadTexts } from '~/i18n';
import { safeRedirect } from '~/lib/redirect';
import { lazyPart } from '~/ui/lazyPart';
import { lazyScreen, listRoute, orNetworkError } from './lazyRoutes';
import type { RouterContext } from './root';
import { rootRoute } from './root';
import { parseSearch, stringifySearch } from './search';
import { RouteError, RoutePending } from './shell/routeStates';

const UnmatchedCount = lazyPart(() => import('./shell/UnmatchedCount').then((module) => module.UnmatchedCount));

/** Tabs of the operations page; the first is the default. */
const OPERATIONS_TABS = ['reviews', 'capacity', 'schedules', 'outreach', 'jobs', 'acts', 'privacy'] as const;
const REVIEW_KINDS = ['doubtful', 'quarantined', 'failed'] as const;

const texts =
  (...namespaces: string[]) =>
  () =>
    orNetworkError(loadTexts(namespaces));

/** The state in an address that its screen reads itself, which spares the other pages its code. */
const asIs = (raw: Record<string, unknown>) => raw;

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
    guide: 'figures',
    menu: { section: 'home', icon: IconHome, label: 'menu.dashboard' },
  },
  validateSearch: asIs,
  loader: texts('home', 'market', 'advertisers', 'list'),
  component: lazyScreen(() => import('~/screens/home/HomePage').then((module) => module.HomePage)),
});

const report = createRoute({
  getParentRoute: () => rootRoute,
  path: '/report',
  staticData: { title: 'title.report', layout: 'main', access: 'user', guide: 'figures' },
  validateSearch: asIs,
  loader: texts('home', 'market', 'advertisers', 'list'),
  component: lazyScreen(() => import('~/screens/home/Report').then((module) => module.Report)),
});

/** The id of a company account in an address; undefined for anything else. */
const companySearch = ({ company }: Record<string, unknown>): { company?: number | undefined } => {
  const id = Number(company);
  return { company: Number.isSafeInteger(id) && id > 0 ? id : undefined };
};

const start = createRoute({
  getParentRoute: () => rootRoute,
  path: '/start',
  staticData: { title: 'title.start', layout: 'main', access: 'staff', guide: 'first-day-administrator' },
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
    guide: 'lists',
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
    guide: 'lists',
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
    guide: 'lists',
    menu: { section: 'notifications', icon: IconSpeakerphone },
  },
  ...listRoute(() => import('~/screens/advertisers/Advertisers').then((module) => module.advertisersList)),
});

const advertiserGroup = createRoute({
  getParentRoute: () => rootRoute,
  path: '/advertisers/group/$domain',
  staticData: { title: 'title.advertiserGroup', layout: 'main', access: 'user', guide: 'groups' },
  loader: texts('advertiserGroup', 'market', 'list'),
  component: lazyScreen(() =>
    import('~/screens/advertiser-group/AdvertiserGroup').then((module) => module.AdvertiserGroup),
  ),
});

const comparator = createRoute({
  getParentRoute: () => rootRoute,
  path: '/comparator',
  staticData: {
    title: 'title.comparator',
    layout: 'main',
    access: 'user',
    guide: 'comparator',
    menu: { section: 'monitoring', icon: IconScale },
  },
  validateSearch: asIs,
  loader: texts('comparator', 'monitoring', 'market', 'list'),
  component: lazyScreen(() => import('~/screens/comparator/Comparator').then((module) => module.Comparator)),
});

const actions = createRoute({
  getParentRoute: () => rootRoute,
  path: '/actions',
  staticData: {
    title: 'title.actions',
    layout: 'workspace',
    access: 'user',
    guide: 'cases',
    flag: 'header_workspaces_switch',
  },
  ...listRoute(() => import('~/screens/actions/Actions').then((module) => module.actionsList)),
});

const todo = createRoute({
  getParentRoute: () => rootRoute,
  path: '/todo',
  staticData: {
    title: 'title.todo',
    layout: 'workspace',
    access: 'user',
    guide: 'cases',
    flag: 'header_workspaces_switch',
  },
  ...listRoute(() => import('~/screens/actions/Actions').then((module) => module.todoList)),
});

const action = createRoute({
  getParentRoute: () => rootRoute,
  path: '/action/$id',
  staticData: { title: 'title.action', layout: 'workspace', access: 'user', guide: 'cases' },
  loader: async ({ context, params }) => (await orNetworkError(import('./loaders'))).openCase(context, params.id),
  component: lazyScreen(() => import('~/screens/action/Action').then((module) => module.Action)),
});

const caseMails = createRoute({
  getParentRoute: () => rootRoute,
  path: '/action/operator/list/$id/embedded/true',
  staticData: { title: 'title.caseMails', layout: 'embedded', access: 'user', guide: 'mails' },
  loader: async ({ context, params }) =>
    (await orNetworkError(import('./openCaseMails'))).openCaseMails(context, params.id),
  component: lazyScreen(() => import('~/screens/case-mails/CaseMailsPage').then((module) => module.CaseMailsPage)),
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
  staticData: { title: 'title.capture', layout: 'main', access: 'user', guide: 'captures' },
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
    guide: 'operations',
    menu: { section: 'settings', icon: IconActivityHeartbeat },
  },
  validateSearch: operationsSearch,
  loader: texts('operations', 'capacity', 'capture', 'home', 'market'),
  component: lazyScreen(() => import('~/screens/operations/Operations').then((module) => module.Operations)),
});

const alerts = createRoute({
  getParentRoute: () => rootRoute,
  path: '/alerts',
  staticData: {
    title: 'title.alerts',
    layout: 'main',
    access: 'user',
    guide: 'mails',
    menu: { section: 'notifications', icon: IconBellRinging },
  },
  loader: texts('alerts'),
  component: lazyScreen(() => import('~/screens/alerts/Alerts').then((module) => module.Alerts)),
});

const unmatchedMails = createRoute({
  getParentRoute: () => rootRoute,
  path: '/unmatched-mails',
  staticData: {
    title: 'title.unmatchedMails',
    layout: 'main',
    access: 'staff',
    guide: 'mails',
    menu: { section: 'notifications', icon: IconMailQuestion, Count: UnmatchedCount },
  },
  loader: texts('unmatchedMails', 'mailsOfCases', 'advertisers', 'market'),
  component: lazyScreen(() =>
    import('~/screens/unmatched-mails/UnmatchedMails').then((module) => module.UnmatchedMails),
  ),
});

const mailRuns = createRoute({
  getParentRoute: () => rootRoute,
  path: '/mail-runs',
  staticData: {
    title: 'title.mailRuns',
    layout: 'main',
    access: 'staff',
    guide: 'operations',
    menu: { section: 'notifications', icon: IconMailShare },
  },
  loader: texts('operations', 'market'),
  component: lazyScreen(() => import('~/screens/mail-runs/MailRuns').then((module) => module.MailRuns)),
});

const mailTemplates = createRoute({
  getParentRoute: () => rootRoute,
  path: '/mail-templates',
  staticData: {
    title: 'title.mailTemplates',
    layout: 'main',
    access: 'staff',
    guide: 'templates',
    menu: { section: 'settings', icon: IconTemplate },
  },
  loader: texts('mailTemplates'),
  component: lazyScreen(() => import('~/screens/mail-templates/MailTemplates').then((module) => module.MailTemplates)),
});

const tags = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tags',
  staticData: {
    title: 'title.tags',
    layout: 'main',
    access: 'user',
    guide: 'tags',
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
    guide: 'brands',
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
    guide: 'terms',
    menu: { section: 'settings', icon: IconListDetails },
  },
  ...listRoute(() => import('~/screens/terms-management/SettingTerms').then((module) => module.settingTermsList)),
});

const googleConnect = createRoute({
  getParentRoute: () => rootRoute,
  path: '/google-connect',
  staticData: {
    title: 'title.googleConnect',
    layout: 'main',
    access: 'admin',
    guide: 'google',
    menu: { section: 'settings', icon: IconBrandGoogle },
  },
  ...listRoute(() => import('~/screens/google-connect/GoogleConnect').then((module) => module.googleConnectList)),
});

const googleItem = createRoute({
  getParentRoute: () => rootRoute,
  path: '/google-connect/$id',
  staticData: { title: 'title.googleItem', layout: 'main', access: 'admin', guide: 'google' },
  loader: texts('google', 'market', 'list'),
  component: lazyScreen(() =>
    import('~/screens/google-connect/GoogleItemPage').then((module) => module.GoogleItemPage),
  ),
});

const googleInvitation = createRoute({
  getParentRoute: () => rootRoute,
  path: '/google-invitation',
  staticData: { title: 'title.googleInvitation', layout: 'auth', access: 'public' },
  loader: texts('google'),
  component: lazyScreen(() => import('~/screens/google-invitation/Invitation').then((module) => module.Invitation)),
});

const companyAccount = createRoute({
  getParentRoute: () => rootRoute,
  path: '/company-account',
  staticData: {
    title: 'title.companyAccount',
    layout: 'main',
    access: 'admin',
    guide: 'accounts',
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
    guide: 'accounts',
    closedWhileImpersonating: true,
    menu: { section: 'settings', icon: IconUsers },
  },
  ...listRoute(() => import('~/screens/users/Users').then((module) => module.usersList)),
});

const createUser = createRoute({
  getParentRoute: () => rootRoute,
  path: '/users/create',
  staticData: {
    title: 'title.createUser',
    layout: 'main',
    access: 'admin',
    guide: 'accounts',
    closedWhileImpersonating: true,
  },
  validateSearch: companySearch,
  loader: texts('users', 'avatar'),
  component: lazyScreen(() => import('~/screens/users/UserPages').then((module) => module.CreateUserPage)),
});

const editUser = createRoute({
  getParentRoute: () => rootRoute,
  path: '/users/$id',
  staticData: {
    title: 'title.user',
    layout: 'main',
    access: 'admin',
    guide: 'accounts',
    closedWhileImpersonating: true,
  },
  loader: async ({ context, params }) => (await import('./loaders')).openUser(context, params.id),
  component: lazyScreen(() => import('~/screens/users/UserPages').then((module) => module.UserPage)),
});

const help = createRoute({
  getParentRoute: () => rootRoute,
  path: '/help',
  staticData: { title: 'title.help', layout: 'main', access: 'user', menu: { section: 'help', icon: IconHelp } },
  loader: texts('help'),
  component: lazyScreen(() => import('~/screens/help/Help').then((module) => module.HelpContents)),
});

const helpPage = createRoute({
  getParentRoute: () => rootRoute,
  path: '/help/$page',
  staticData: { title: 'title.help', layout: 'main', access: 'user' },
  loader: async ({ context, params }) => (await orNetworkError(import('./openGuide'))).openGuide(context, params.page),
  component: lazyScreen(() => import('~/screens/help/Help').then((module) => module.HelpPage)),
});

const stopGo = createRoute({
  getParentRoute: () => rootRoute,
  path: '/stop-go',
  staticData: {
    title: 'title.stopGoDashboard',
    layout: 'main',
    access: 'user',
    guide: 'stop-go',
    flag: 'stopgo_dashboard',
    menu: { section: 'stopAndGo', icon: IconLayoutDashboard, label: 'menu.dashboard' },
  },
  loader: texts('stopGo'),
  component: lazyScreen(() => import('~/screens/stop-go/Frame').then((module) => module.StopGoDashboard)),
});

const stopGoBrands = createRoute({
  getParentRoute: () => rootRoute,
  path: '/stop-go-management',
  staticData: {
    title: 'title.stopGoManagement',
    layout: 'main',
    access: 'admin',
    guide: 'stop-go',
    menu: { section: 'stopAndGo', icon: IconTrafficLights, label: 'menu.stopGoManagement' },
  },
  loader: texts('stopGo'),
  component: lazyScreen(() => import('~/screens/stop-go/StopGoBrands').then((module) => module.StopGoBrands)),
});

const stopGoBrand = createRoute({
  getParentRoute: () => rootRoute,
  path: '/stop-go-management/$id',
  staticData: { title: 'title.stopGoItem', layout: 'main', access: 'admin', guide: 'stop-go' },
  loader: texts('stopGo'),
  component: lazyScreen(() => import('~/screens/stop-go/StopGoBrandPage').then((module) => module.StopGoBrandPage)),
});

const stopGoKeywords = createRoute({
  getParentRoute: () => rootRoute,
  path: '/stop-go-keyword-management',
  staticData: {
    title: 'title.stopGoKeywords',
    layout: 'main',
    access: 'admin',
    guide: 'stop-go',
    menu: { section: 'stopAndGo', icon: IconPlayerPause, label: 'menu.stopGoKeywords' },
  },
  loader: texts('stopGo'),
  component: lazyScreen(() => import('~/screens/stop-go/StopGoKeywords').then((module) => module.StopGoKeywords)),
});

const stopGoKeyword = createRoute({
  getParentRoute: () => rootRoute,
  path: '/stop-go-keyword-management/$id',
  staticData: { title: 'title.stopGoKeyword', layout: 'main', access: 'admin', guide: 'stop-go' },
  loader: texts('stopGo', 'market'),
  component: lazyScreen(() => import('~/screens/stop-go/StopGoKeywordPage').then((module) => module.StopGoKeywordPage)),
});

const stopGoSavings = createRoute({
  getParentRoute: () => rootRoute,
  path: '/stop-go-savings',
  staticData: {
    title: 'title.stopGoSavings',
    layout: 'main',
    access: 'admin',
    guide: 'stop-go',
    menu: { section: 'stopAndGo', icon: IconPigMoney, label: 'menu.stopGoSavings' },
  },
  loader: texts('stopGo'),
  component: lazyScreen(() => import('~/screens/stop-go/Savings').then((module) => module.Savings)),
});

const stopGoNews = createRoute({
  getParentRoute: () => rootRoute,
  path: '/stop-go-news',
  staticData: {
    title: 'title.stopGoNews',
    layout: 'main',
    access: 'user',
    guide: 'stop-go',
    menu: { section: 'stopAndGo', icon: IconNews, label: 'menu.stopGoNews' },
  },
  loader: texts('stopGo'),
  component: lazyScreen(() => import('~/screens/stop-go/Frame').then((module) => module.StopGoNews)),
});

const login = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  staticData: { title: 'title.login', layout: 'auth', access: 'public' },
  validateSearch: asIs,
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
  report,
  start,
  terms,
  domains,
  summary,
  advertisers,
  advertiserGroup,
  comparator,
  actions,
  todo,
  action,
  caseMails,
  publicCapture,
  capture,
  tags,
  settingTerms,
  brands,
  googleConnect,
  googleItem,
  companyAccount,
  users,
  createUser,
  editUser,
  alerts,
  unmatchedMails,
  mailRuns,
  mailTemplates,
  operations,
  help,
  helpPage,
  stopGo,
  stopGoBrands,
  stopGoBrand,
  stopGoKeywords,
  stopGoKeyword,
  stopGoSavings,
  stopGoNews,
  login,
  logout,
  forgot,
  reset,
  confirmFailed,
  googleInvitation,
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
