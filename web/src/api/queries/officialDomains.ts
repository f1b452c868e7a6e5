import { queryOptions } from '@tanstack/react-query';
import { inParallel } from '~/lib/inParallel';
import { answer, client } from '../client';
import { ApiError } from '../errors';
import type { components } from '../schema';
import { linkTag, unlinkTag } from './tags';

/** The name and label of a brand's tag for its own sites, and the name of the parent of all of them. */
const OFFICIAL = { name: 'official', label: 'Official', parent: 'website-classification' } as const;

interface StoredTag {
  id: number;
  name?: string | null;
  dealers?: { id: number; domain: string }[];
}

/** Found dealers per call: keeps the address short. */
const DOMAINS_AT_ONCE = 100;

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
      const own = (found as StoredTag[]).find(({ name }) => name === OFFICIAL.name);
      return (own?.dealers ?? []).map(({ domain }) => domain).sort((one, other) => one.localeCompare(other));
    },
  });

/** The domains that a change could not link or unlink. */
export interface DomainFailures {
  link: readonly string[];
  unlink: readonly string[];
}

/** Makes and breaks the links of domains with the brand's official tag. Each succeeds or fails on its own. */
export async function changeOfficialDomains(
  brandId: number,
  added: readonly string[],
  removed: readonly string[],
): Promise<DomainFailures> {
  const tag = (await findTag({ name: OFFICIAL.name, brandOwnerId: brandId })) ?? (await createOfficialTag(brandId));
  const dealers = await dealersByDomain([...added, ...removed]);
  const failures: { link: string[]; unlink: string[] } = { link: [], unlink: [] };
  await inParallel(added, async (domain) => {
    try {
      await linkTag('tag', dealers.get(domain) ?? (await createDealer(domain)), tag);
    } catch {
      failures.link.push(domain);
    }
  });
  await inParallel(removed, async (domain) => {
    const dealer = dealers.get(domain);
    if (dealer === undefined) return;
    try {
      await unlinkTag('tag', dealer, tag);
    } catch {
      failures.unlink.push(domain);
    }
  });
  return failures;
}

/** The id of the tag of domains that these conditions mean; undefined if there is none. */
async function findTag(conditions: Record<string, unknown>): Promise<number | undefined> {
  const filter = JSON.stringify({ where: { ...conditions, scope: 'tag' } });
  try {
    return Number((await answer(client.GET('/api/Categories/findOne', { params: { query: { filter } } }))).id);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

async function createOfficialTag(brandOwnerId: number): Promise<number> {
  const parentId = await findTag({ name: OFFICIAL.parent });
  const body = { label: OFFICIAL.label, scope: 'tag', visibility: 'owner', brandOwnerId, parentId: parentId ?? null };
  return Number((await answer(client.POST('/api/Categories', { body }))).id);
}

/** The ids of the dealers of these domains, which may take several calls; a domain without a dealer is left out. */
async function dealersByDomain(domains: readonly string[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (let from = 0; from < domains.length; from += DOMAINS_AT_ONCE) {
    const filter = JSON.stringify({
      where: { domain: { inq: domains.slice(from, from + DOMAINS_AT_ONCE) } },
      fields: ['id', 'domain'],
    });
    const found = await answer(client.GET('/api/Dealers', { params: { query: { filter } } }));
    for (const { id, domain } of found as { id: number; domain: string }[]) ids.set(domain, id);
  }
  return ids;
}

const createDealer = async (domain: string): Promise<number> =>
  Number((await answer(client.POST('/api/Dealers', { body: { domain } }))).id);

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
