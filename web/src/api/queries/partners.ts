import { queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';
import type { components } from '../schema';

export type Partner = components['schemas']['PartnerView'];
export type PartnerBody = components['schemas']['PartnerBody'];

/** The authorised partners and resellers of a brand, ordered by domain; those that have ended are among them. */
export const partnersQuery = (brandId: number) =>
  queryOptions({
    queryKey: ['partners', brandId],
    queryFn: async ({ signal }): Promise<Partner[]> =>
      (await answer(client.GET('/api/Brands/{id}/partners', { params: { path: { id: brandId } }, signal }))).data,
  });

/** Adds a partner to a brand. */
export const addPartner = (brandId: number, body: PartnerBody): Promise<Partner> =>
  answer(client.POST('/api/Brands/{id}/partners', { params: { path: { id: brandId } }, body }));

/** Gives a partner other terms; refused if somebody else changed it since it was read. */
export const changePartner = (brandId: number, partner: Partner, body: PartnerBody): Promise<Partner> =>
  answer(
    client.PUT('/api/Brands/{id}/partners/{partner}', {
      params: { path: { id: brandId, partner: partner.id } },
      body: { ...body, version: partner.version },
    }),
  );

/** Takes a partner away from a brand. */
export const removePartner = (brandId: number, partner: Partner): Promise<void> =>
  done(
    client.DELETE('/api/Brands/{id}/partners/{partner}', { params: { path: { id: brandId, partner: partner.id } } }),
  );
