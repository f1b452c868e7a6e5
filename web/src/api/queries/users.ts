import { queryOptions } from '@tanstack/react-query';
import type { ListSearch } from '~/lib/listSearch';
import { answer, client, done } from '../client';
import { containing, counted, countQuietly, resourceCount, resourceExport, resourcePage } from '../resourceFilter';
import type { components } from '../schema';
import type { Choice } from './choices';

/** Options per search. */
const ROLES = 10;

interface Named {
  id: number;
  name?: string | null;
  label?: string | null;
}

interface Stored {
  id?: number;
  email?: string | null;
  firstName?: string | null;
  lastName?: string | null;
  avatarId?: string | null;
  companyAccount?: Partial<Named>;
  roles?: Named[];
}

export interface UserRow {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  company: string;
  avatarId: string | null;
  /** The last mail to this user, if it could not be delivered. */
  undelivered: Undelivered | null;
}

export type Undelivered = components['schemas']['UndeliveredView'];

export const usersKey = ['users'] as const;

/** A page of users with their company account. */
export const usersQuery = (search: ListSearch) => ({
  queryKey: [...usersKey, 'list', resourcePage(search, ['companyAccount'])],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const filter = resourcePage(search, ['companyAccount']);
    const [rows, total, undelivered] = await Promise.all([
      answer(client.GET('/api/UserAccounts', { params: { query: { filter } }, signal })),
      countQuietly(
        answer(client.GET('/api/UserAccounts/count', { params: { query: { where: resourceCount(search) } }, signal })),
      ),
      undeliveredByUser(signal),
    ]);
    return {
      ...counted(
        search,
        (rows as Stored[]).map((row) => readRow(row, undelivered)),
        total,
      ),
      exportCsv: resourceExport('UserAccounts', search),
    };
  },
});

const companyName = (company: Stored['companyAccount']): string => company?.label || company?.name || '';

/** Undelivered mails by account; empty if they cannot be loaded. */
async function undeliveredByUser(signal: AbortSignal): Promise<ReadonlyMap<number, Undelivered>> {
  const list = await answer(client.GET('/api/operations/undelivered', { signal })).catch(() => null);
  return new Map(list?.data.map((mail) => [mail.userId, mail]));
}

const readRow = (stored: Stored, undelivered: ReadonlyMap<number, Undelivered>): UserRow => ({
  id: String(stored.id),
  email: stored.email ?? '',
  firstName: stored.firstName ?? '',
  lastName: stored.lastName ?? '',
  company: companyName(stored.companyAccount),
  avatarId: stored.avatarId ?? null,
  undelivered: undelivered.get(stored.id ?? 0) ?? null,
});

/** Full name, or else the address. */
export const userName = ({ firstName, lastName, email }: Pick<UserRow, 'firstName' | 'lastName' | 'email'>): string =>
  [firstName, lastName].filter(Boolean).join(' ') || email;

/** A user, as the form edits it. */
export interface UserDetail {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  avatarId: string | null;
  undelivered: Undelivered | null;
  company: Choice | null;
  roles: readonly Choice[];
}

const WITH_ALL = JSON.stringify({ include: ['roles', 'companyAccount', 'avatar'] });

/** A user with roles, company account and avatar. */
export const userQuery = (id: string) =>
  queryOptions({
    queryKey: [...usersKey, 'one', id],
    queryFn: async ({ signal }): Promise<UserDetail> => {
      const call = client.GET('/api/UserAccounts/{id}', {
        params: { path: { id: Number(id) }, query: { filter: WITH_ALL } },
        signal,
      });
      const [stored, undelivered] = await Promise.all([answer(call) as Promise<Stored>, undeliveredByUser(signal)]);
      const { companyAccount: company } = stored;
      return {
        ...readRow(stored, undelivered),
        company: company?.id === undefined ? null : { value: company.id, label: companyName(company) },
        roles: (stored.roles ?? []).map((role) => ({ value: role.id, label: role.name ?? String(role.id) })),
      };
    },
    // A form starts from the stored state.
    staleTime: 0,
  });

/** Roles whose name matches. */
export async function searchRoles(query: string, signal: AbortSignal): Promise<Choice[]> {
  const where = query === '' ? {} : { where: { name: containing(query) } };
  const filter = JSON.stringify({ ...where, order: 'name ASC', limit: ROLES });
  const rows = await answer(client.GET('/api/Roles', { params: { query: { filter } }, signal }));
  return rows.map((role) => ({ value: Number(role.id), label: role.name ?? String(role.id) }));
}

/** Fields to write; others keep their value. */
export type UserChange = {
  email: string;
  firstName: string;
  lastName: string;
  companyAccountId: number | null;
  avatarId?: string;
  password?: string;
};

/** Creates a user and returns its id. */
export async function createUser(body: UserChange): Promise<string> {
  const made = await answer(client.POST('/api/UserAccounts', { body }));
  return String(made.id);
}

export const updateUser = async (id: string, body: UserChange): Promise<void> =>
  void (await answer(client.PATCH('/api/UserAccounts/{id}', { params: { path: { id: Number(id) } }, body })));

/** Adds the roles that are wanted and not in `had`, then removes those in `had` that are not wanted. Ends, half done, at the first failure. */
export async function setRoles(id: string, had: readonly number[], wanted: readonly number[]): Promise<void> {
  const path = (fk: number) => ({ params: { path: { id: Number(id), fk } } });
  // One after the other, additions first: removing the last administrator's role is refused.
  for (const role of wanted.filter((role) => !had.includes(role))) {
    await answer(client.PUT('/api/UserAccounts/{id}/roles/rel/{fk}', path(role)));
  }
  for (const role of had.filter((role) => !wanted.includes(role))) {
    await done(client.DELETE('/api/UserAccounts/{id}/roles/rel/{fk}', path(role)));
  }
}

export const deleteUser = (id: string): Promise<void> =>
  done(client.DELETE('/api/UserAccounts/{id}', { params: { path: { id: Number(id) } } }));
