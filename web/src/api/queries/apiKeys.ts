import { queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';

/** The company account whose keys are meant; the user's own without it. */
type Company = number | undefined;

/** API keys, the newest first. */
export const keysQuery = (company: Company) =>
  queryOptions({
    queryKey: ['keys', company ?? 'own'],
    queryFn: ({ signal }) =>
      answer(
        company === undefined
          ? client.GET('/api/keys', { signal })
          : client.GET('/api/keys/company/{company}', { params: { path: { company } }, signal }),
      ),
    staleTime: 0,
  });

export type ApiKey = Awaited<ReturnType<NonNullable<ReturnType<typeof keysQuery>['queryFn']>>>[number];

/** What a key opens. */
export const KEY_SCOPES = { lists: 'read:lists', evidence: 'read:evidence', tags: 'write:tags' } as const;
export type KeyScope = keyof typeof KEY_SCOPES;

export interface NewKey {
  name: string;
  scopes: readonly KeyScope[];
  /** Days until it ends by itself; null if it does not. */
  days: number | null;
}

/** Makes a key, which is answered this once. */
export async function makeKey(company: Company, { name, scopes, days }: NewKey): Promise<string> {
  const body = { name, scopes: scopes.map((scope) => KEY_SCOPES[scope]), days };
  const making =
    company === undefined
      ? client.POST('/api/keys', { body })
      : client.POST('/api/keys/company/{company}', { params: { path: { company } }, body });
  return (await answer(making)).key;
}

/** Ends a key. */
export const endKey = (company: Company, id: number): Promise<void> =>
  done(
    company === undefined
      ? client.DELETE('/api/keys/{id}', { params: { path: { id } } })
      : client.DELETE('/api/keys/company/{company}/{id}', { params: { path: { company, id } } }),
  );
