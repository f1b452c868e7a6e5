import { queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';

/** The user's second factor: since when sign-ins need a code, and the recovery codes that are left. */
export const secondFactorQuery = queryOptions({
  queryKey: ['second-factor'],
  queryFn: ({ signal }) => answer(client.GET('/api/second-factor', { signal })),
  staleTime: 0,
});

/** What proves to be the holder of an account. */
export interface Proof {
  email: string;
  password: string;
  code?: string;
}

/** Makes a secret for an app. Sign-ins need no code before it is confirmed. */
export const beginSecondFactor = (body: Proof) => answer(client.POST('/api/second-factor', { body }));

/** A secret for an app, in letters and as an address. */
export type AppSecret = Awaited<ReturnType<typeof beginSecondFactor>>;

/** Switches the second factor on with a first code, and returns the recovery codes. Ends the other sessions. */
export const confirmSecondFactor = async (body: Proof): Promise<string[]> =>
  (await answer(client.POST('/api/second-factor/confirm', { body }))).recoveryCodes;

/** Replaces the recovery codes. */
export const renewRecoveryCodes = async (body: Proof): Promise<string[]> =>
  (await answer(client.POST('/api/second-factor/recovery-codes', { body }))).recoveryCodes;

/** Switches the second factor off. */
export const switchSecondFactorOff = (body: Proof): Promise<void> =>
  done(client.POST('/api/second-factor/off', { body }));

/** Another user's second factor. Administrators only. */
export const userSecondFactorQuery = (id: string) =>
  queryOptions({
    queryKey: ['second-factor', id],
    queryFn: ({ signal }) =>
      answer(client.GET('/api/second-factor/{user}', { signal, params: { path: { user: Number(id) } } })),
    staleTime: 0,
  });

/** Removes another user's second factor, and ends that user's sessions and keys. */
export const removeSecondFactor = (id: string): Promise<void> =>
  done(client.DELETE('/api/second-factor/{user}', { params: { path: { user: Number(id) } } }));
