import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { currentLanguage } from '~/i18n';
import { asLanguage, rememberLanguage } from '~/i18n/language';
import { local, session as sessionStore } from '~/lib/storage';
import { answer, client, done } from './client';
import { isUnauthorized } from './errors';

/** Set while signed in: script cannot read the session cookie, and only a lost session deserves a warning. */
const SIGNED_IN = 'session:v1';

const ADMIN_ROLE = 'admin';

/** With roles, and the company account with its brands. */
const WITH_RIGHTS = JSON.stringify({ include: ['roles', { companyAccount: 'brands' }] });

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) =>
    answer(client.GET('/api/UserAccounts/me', { signal, params: { query: { filter: WITH_RIGHTS } } })),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** The signed-in user, with roles, company account and its brands. */
export type Me = Awaited<ReturnType<NonNullable<(typeof meQuery)['queryFn']>>>;

/** The signed-in user. Only for screens behind the guard, which has loaded it. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data;

export const isAdmin = (me: Me): boolean => me.roles?.some((role) => role.name === ADMIN_ROLE) ?? false;

/** Whether an administrator impersonates this user. */
export const isImpersonated = (me: Me): boolean => typeof me.impersonatedBy === 'number';

/** Roles with rights on the server; others have none. */
const STAFF_ROLES: readonly unknown[] = ['operator', ADMIN_ROLE];

/** Whether this is an operator or administrator, who works on the cases of every brand. */
export const isStaff = (me: Me): boolean => me.roles?.some((role) => STAFF_ROLES.includes(role.name)) ?? false;

export const fullName = (me: Me): string => [me.firstName, me.lastName].filter(Boolean).join(' ') || me.email;

export type Session = { user: Me } | { user: null; expired: boolean };

/**
 * The session of this browser: the cached user, else the server's. No user on 401, with `expired` if the browser was signed in until now: the
 * next call no longer says so. Throws on any other failure.
 */
export async function loadSession(queries: QueryClient): Promise<Session> {
  try {
    const user = await queries.ensureQueryData(meQuery);
    local.set(SIGNED_IN, '1');
    return { user };
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    const expired = local.get(SIGNED_IN) !== null;
    local.remove(SIGNED_IN);
    return { user: null, expired };
  }
}

export interface Credentials {
  email: string;
  password: string;
  /** Of the app, or a recovery code, where the account has a second factor. */
  code?: string;
}

/** Signs in, and clears the query cache. */
export async function login(queries: QueryClient, body: Credentials): Promise<void> {
  await answer(client.POST('/api/UserAccounts/login', { body }));
  queries.clear();
}

/**
 * Signs out: revokes the token, then clears local storage and the query cache. An expired session counts as signed out; on any other failure
 * it throws and clears nothing.
 */
export async function logout(queries: QueryClient): Promise<void> {
  try {
    await done(client.POST('/api/UserAccounts/logout'));
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
  }
  local.clear();
  queries.clear();
}

/** Requests a mail with a password link. Succeeds for unknown addresses, too. */
export const forgotPassword = (email: string): Promise<void> =>
  done(client.POST('/api/UserAccounts/reset', { body: { email } }));

/** Sets a new password with the token of such a link. Ends every session of the account, including this one. */
export async function resetPassword(queries: QueryClient, token: string, newPassword: string): Promise<void> {
  await done(
    client.POST('/api/UserAccounts/reset-password', { body: { newPassword }, headers: { Authorization: token } }),
  );
  queries.clear();
}

export interface PasswordChange {
  oldPassword: string;
  newPassword: string;
}

/** Changes the own password, and ends the other sessions. */
export const changePassword = (body: PasswordChange): Promise<void> =>
  done(client.POST('/api/UserAccounts/change-password', { body }));

export interface Names {
  firstName: string;
  lastName: string;
  /** Left out to keep the picture. */
  avatarId?: string;
}

/** Changes the own names and picture. */
export const changeNames = (id: number, body: Names): Promise<void> =>
  done(client.PATCH('/api/UserAccounts/{id}', { params: { path: { id } }, body }));

/** In seconds; the own session may end earlier. */
const IMPERSONATION_TTL = 120_000;

/**
 * Impersonates a user. The server keeps the own session in a second cookie. Clears all storage but the language and loads the start page;
 * throws, and does neither, if the server refuses.
 */
export async function workAs(userId: string): Promise<void> {
  const call = client.POST('/api/UserAccounts/{id}/accessTokens', {
    params: { path: { id: Number(userId) } },
    body: { ttl: IMPERSONATION_TTL },
  });
  await answer(call);
  startOver();
}

/** Ends the impersonation. Clears all storage and reloads. */
export async function restore(): Promise<void> {
  await done(client.POST('/api/UserAccounts/restore'));
  startOver();
}

/** Clears storage and reloads at home, so that neither user sees data of the other. Keeps the language. */
function startOver(): void {
  const language = asLanguage(currentLanguage());
  local.clear();
  sessionStore.clear();
  if (language) rememberLanguage(language);
  window.location.assign('/');
}
