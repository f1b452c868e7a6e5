import { type DomainRow, domainsKey } from '~/api/queries/domains';
import { dealersOf } from '~/api/queries/tags';
import type { Taggable } from '~/monitoring/tags/taggable';

/** Tags of a domain stand on its dealer. */
export const taggedDomains: Taggable<DomainRow> = {
  scope: 'tag',
  listKey: domainsKey,
  nameOf: ({ domain }) => domain,
  entitiesOf: async (rows) => {
    const dealers = await dealersOf(rows.map(({ domain }) => domain));
    return new Map(
      rows.flatMap(({ id, domain }) => {
        const dealer = dealers.get(domain);
        return dealer === undefined ? [] : [[id, dealer] as const];
      }),
    );
  },
};
