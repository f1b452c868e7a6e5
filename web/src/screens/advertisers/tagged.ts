import { type AdvertiserRow, advertisersKey } from '~/api/queries/advertisers';
import type { Taggable } from '~/monitoring/tags/taggable';

/** Tags of an advertiser stand on its dealer, which several rows can share. */
export const taggedAdvertisers: Taggable<AdvertiserRow> = {
  scope: 'tag',
  listKey: advertisersKey,
  nameOf: ({ domain }) => domain,
  entitiesOf: async (rows) => new Map(rows.flatMap(({ id, dealer }) => (dealer ? [[id, dealer.id] as const] : []))),
};
