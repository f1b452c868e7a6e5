import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';
import type { components } from '../schema';

export type Proof = components['schemas']['ProofView'];
export type ProofCheck = components['schemas']['CheckView'];
export type Relapse = components['schemas']['RelapseView'];
export type Escalation = components['schemas']['EscalationView'];

/** Whether the advertiser of a case has kept its word. */
export const proofQuery = (id: number) =>
  queryOptions({
    queryKey: ['case', id, 'proof'],
    queryFn: async ({ signal }): Promise<Proof> =>
      (await answer(client.GET('/api/actions/{id}/proof', { params: { path: { id } }, signal }))).data,
  });

/** Whether a complaint about the ads of a case can be made, and the numbers of those that were; for staff. */
export const escalationQuery = (id: number) =>
  queryOptions({
    queryKey: ['case', id, 'escalation'],
    queryFn: async ({ signal }): Promise<Escalation> =>
      (await answer(client.GET('/api/actions/{id}/escalation', { params: { path: { id } }, signal }))).data,
  });

/** Writes down the number that the engine gave to a complaint; null takes it back. */
export const recordComplaint = async (id: number, number: string | null): Promise<Escalation> =>
  (await answer(client.PUT('/api/actions/{id}/complaint', { params: { path: { id } }, body: { number } }))).data;

/** What a complaint needs as one file, with its letter in this language. */
export const escalationPackAddress = (id: number, language: string): string =>
  `/api/actions/${id}/escalationPack?${new URLSearchParams({ language })}`;
