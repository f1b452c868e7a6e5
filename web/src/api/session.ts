import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { local } from '~/lib/storage';
import { answer, client, done } from './client';
import { isUnauthorized } from './errors';

/** Set while this browser believes it is signed in: the cookie itself cannot be read, and only a lost session deserves a warning. */
const SIGNED_IN = 'session:v1';

const ADMIN_ROLE = 'admin';

/** The account with its roles, and its company account with its brands. */
const WITH_RIGHTS = JSON.stringify({ include: ['roles', { companyAccount: 'brands' }] });

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: ({ signal }) =>
    answer(client.GET('/api/UserAccounts/me', { signal, params: { query: { filter: WITH_RIGHTS } } })),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** Who is signed in, with roles and the company account and its brands. */
export type Me = Awaited<ReturnType<NonNullable<(typeof meQuery)['queryFn']>>>;

/** Who is signed in. Only for screens behind the guard, which has loaded it. */
export const useMe = (): Me => useSuspenseQuery(meQuery).data as Me;

export const isAdmin = (me: Me): boolean => me.roles?.some((role) => role.name === ADMIN_ROLE) ?? false;

/** Whether an administrator works as this user. */
export const isImpersonated = (me: Me): boolean => typeof me.impersonatedBy === 'number';

/** The roles that the server knows; one of another name gives no right. */
const STAFF_ROLES: readonly unknown[] = ['operator', ADMIN_ROLE];

/** Operators and administrators: those who work on the cases of every brand. */
export const isStaff = (me: Me): boolean => me.roles?.some((role) => STAFF_ROLES.includes(role.name)) ?? false;

export const fullName = (me: Me): string => [me.firstName, me.lastName].filter(Boolean).join(' ') || me.email;

export type Session = { user: Me } | { user: null; expired: boolean };

/** The session of this browser. `expired` says that there was one. Fails only when the server cannot tell. */
export async function loadSession(queries: QueryClient): Promise<Session> {
  try {
    const user = (await queries.ensureQueryData(meQuery)) as Me;
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
}

/** Signs in; everything loaded for somebody else is dropped. */
export async function login(queries: QueryClient, body: Credentials): Promise<void> {
  await answer(client.POST('/api/UserAccounts/login', { body }));
  queries.clear();
}

/** Signs out: the token is revoked, local storage and everything loaded are dropped. A session that is already gone counts as signed out. */
export async function logout(queries: QueryClient): Promise<void> {
  try {
    await done(client.POST('/api/UserAccounts/logout'));
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
  }
  local.clear();
  queries.clear();
}

/** Asks for a mail with a link to choose a new password. Succeeds for an address that nobody has, too. */
export const forgotPassword = (email: string): Promise<void> =>
  done(client.POST('/api/UserAccounts/reset', { body: { email } }));

/** Chooses a new password with the token of such a link. Every session of the account ends, this browser's among them. */
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

/** Changes the own password; the other sessions end. */
export const changePassword = (body: PasswordChange): Promise<void> =>
  done(client.POST('/api/UserAccounts/change-password', { body }));

export interface Names {
  firstName: string;
  lastName: string;
  /** The picture, where it changes. */
  avatarId?: string;
}

/** Changes the own names and picture. */
export const changeNames = (id: number, body: Names): Promise<void> =>
  done(client.PATCH('/api/UserAccounts/{id}', { params: { path: { id } }, body }));
