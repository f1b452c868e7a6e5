import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { answer, client } from './client';
import { useMe } from './session';

export const FLAGS = ['header_workspaces_switch', 'stopgo_dashboard'] as const;
export type Flag = (typeof FLAGS)[number];
export type Flags = Readonly<Record<Flag, boolean>>;

export const NO_FLAGS: Flags = { header_workspaces_switch: false, stopgo_dashboard: false };

export const flagsQuery = (userId: number) =>
  queryOptions({
    queryKey: ['flags', userId],
    queryFn: ({ signal }) => answer(client.GET('/api/FeatureFlags', { params: { query: { userId } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The flags of the signed-in user; undefined until they are known. */
export const useFlags = (): Flags | undefined => useQuery(flagsQuery(useMe().id)).data;

/** Whether the lists of cases are open to the signed-in user; taken to be while that is not known. */
export const useCasesOpen = (): boolean => useFlags()?.header_workspaces_switch !== false;

/** The flags of a user; all off if they cannot be loaded. */
export const loadFlags = (queries: QueryClient, userId: number): Promise<Flags> =>
  queries.ensureQueryData(flagsQuery(userId)).catch(() => NO_FLAGS);

/** Each flag of another user and where its value comes from; for administrators. */
export const userFlagsQuery = (id: string) =>
  queryOptions({
    queryKey: ['userFlags', id],
    queryFn: async ({ signal }) => {
      const call = client.GET('/api/FeatureFlags/users/{id}', { params: { path: { id: Number(id) } }, signal });
      return (await answer(call)).data;
    },
    staleTime: 0,
  });

/** Sets a flag of one user; resolves with all their flags, as `userFlagsQuery`. */
export async function giveFlag({ id, key, on }: { id: string; key: Flag; on: boolean }) {
  const params = { path: { id: Number(id) } };
  return (await answer(client.PUT('/api/FeatureFlags/users/{id}', { params, body: { flags: { [key]: on } } }))).data;
}
