import { answer, client } from '../client';
import type { components } from '../schema';

export type Erasure = components['schemas']['ErasureView'];

/** What is stored about an address, as a file. */
export const personalDataAddress = (address: string): string =>
  `/api/privacy/export?${new URLSearchParams({ address })}`;

/** Erases what is stored about an address, for good. */
export const erasePersonalData = async (address: string): Promise<Erasure> =>
  (await answer(client.POST('/api/privacy/erase', { body: { address } }))).data;
