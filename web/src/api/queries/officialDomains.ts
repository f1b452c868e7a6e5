import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';
import type { components } from '../schema';
import { type Operation, partOf } from './undo';

/** The name of a brand's tag for its own sites. */
const OFFICIAL = 'official';

interface StoredTag {
  id: number;
  name?: string | null;
  dealers?: { id: number; domain: string }[];
}

/** The official domains of a brand, in their order. */
export const officialDomainsQuery = (brandId: number) =>
  queryOptions({
    queryKey: ['officialDomains', brandId],
    // An editor starts from the stored list.
    gcTime: 0,
    queryFn: async ({ signal }): Promise<string[]> => {
      const filter = JSON.stringify({
        where: { scope: 'tag', brandOwnerId: brandId, label: { regexp: '/official/i' } },
        include: ['dealers'],
      });
      const found = await answer(client.GET('/api/Categories', { params: { query: { filter } }, signal }));
      const own = (found as StoredTag[]).find(({ name }) => name === OFFICIAL);
      return (own?.dealers ?? []).map(({ domain }) => domain).sort((one, other) => one.localeCompare(other));
    },
  });

/** Changes the official domains of a brand, all or none, as an operation that can be undone. */
export const changeOfficialDomains = (
  brandId: number,
  added: readonly string[],
  removed: readonly string[],
  operation: Operation,
): Promise<components['schemas']['ChangedOfficialsView']> =>
  answer(
    client.POST('/api/Brands/{id}/officialDomains', {
      params: { path: { id: brandId } },
      body: { added: [...added], removed: [...removed] },
      headers: partOf(operation),
    }),
  );

export type RejudgedCases = components['schemas']['OfficialDomainsView'];

/** What a change of official domains does to cases: how many open ones it sets to ignored, and which ignored ones stay so. */
export const rejudgedCasesQuery = (brandId: number, added: readonly string[], removed: readonly string[]) =>
  queryOptions({
    queryKey: ['officialDomains', brandId, 'cases', added, removed],
    queryFn: ({ signal }): Promise<RejudgedCases> =>
      answer(
        client.POST('/api/Brands/{id}/officialDomainsPreview', {
          params: { path: { id: brandId } },
          body: { added: [...added], removed: [...removed] },
          signal,
        }),
      ),
  });
