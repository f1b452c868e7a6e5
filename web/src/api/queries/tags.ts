import type { ListSearch } from '~/lib/listSearch';
import { answer, client, done } from '../client';
import { matching } from '../matching';
import { counted, countQuietly, quietly, resourceCount, resourceExport, resourcePage } from '../resourceFilter';

/** What a tag marks: domains (through their dealers) or terms. */
export type TagScope = 'tag' | 'term';

/** The readers of a tag: the users of its brand, or everybody. */
export type TagVisibility = 'owner' | 'all';

export interface Tag {
  id: number;
  label: string;
  /** The brand it belongs to: several brands have tags of the same name. Undefined if it has none, or one the reader does not see. */
  brand?: string | null | undefined;
  /** For domains: the tagged dealer, the domain's own or that of its registrable domain. */
  dealerId?: number | null;
}

export interface OfferedTag extends Tag {
  /** Marks a domain as a site of that brand, which sets its open cases against the brand aside. */
  isOfficial: boolean;
}

/** A tag's name, with its brand where it has one. */
export const tagWithBrand = ({ label, brand }: Pick<Tag, 'label' | 'brand'>): string =>
  brand ? `${label} · ${brand}` : label;

/** The name of every brand's tag for its own sites. */
const OFFICIAL = 'official';
/** Names of the tags that the server keeps from being changed. */
const SYSTEM: readonly string[] = [OFFICIAL, 'website-classification'];

/** Tags per search. */
const LIMIT = 50;

interface Named {
  id?: number;
  name?: string | null;
  label?: string | null;
}

interface Stored extends Named {
  scope?: string | null;
  visibility?: string | null;
  brandOwnerId?: number | null;
  owner?: Named | null;
  parentId?: number | null;
  parent?: Named | null;
  children?: Named[];
  totalViews?: number | null;
}

const nameOf = (named: Named | null | undefined): string | undefined => named?.label || named?.name || undefined;

/** The tags of a scope whose name contains a text, ordered by name; `without` are ids to leave out. */
export async function findTags(
  scope: TagScope,
  text: string,
  signal: AbortSignal,
  without: readonly number[] = [],
): Promise<OfferedTag[]> {
  const filter = JSON.stringify({
    where: { scope, ...(text && { label: matching(text) }), ...(without.length > 0 && { id: { nin: without } }) },
    include: ['children', 'owner'],
    order: 'name ASC',
    limit: LIMIT,
  });
  const found = await answer(client.GET('/api/Categories', { params: { query: { filter } }, signal }));
  return (found as Stored[]).map(({ id, name, label, owner }) => ({
    id: Number(id),
    label: label ?? '',
    brand: nameOf(owner),
    isOfficial: scope === 'tag' && name === OFFICIAL,
  }));
}

/** A tag as the list of tags shows it. */
export interface TagRow {
  id: string;
  label: string;
  /** Its name in addresses and files. */
  slug: string;
  scope: TagScope;
  visibility: TagVisibility;
  brandOwnerId: number | null;
  /** The name of its brand; undefined without one, or with one that the reader does not see. */
  brand: string | undefined;
  parentId: number | null;
  /** The name of its parent; undefined without one, or with one that the reader does not see. */
  parent: string | undefined;
  /** Ids of the tags that have it as their parent. */
  children: readonly number[];
  /** Domains or terms that have it; undefined if they could not be counted. */
  uses: number | undefined;
  totalViews: number;
  /** Its views in percent of those of the tag with the most on this page. */
  share: number;
  /** Whether the product relies on it, and the server refuses to change it. */
  isSystem: boolean;
}

export interface TagsMeta {
  total: number;
  /** Those for domains; undefined if they could not be counted. */
  ofDomains: number | undefined;
}

export const tagsKey = ['tags'] as const;

/** A page of tags with their brands, parents and uses. */
export const tagsQuery = (search: ListSearch) => {
  const filter = resourcePage(search, ['parent', 'children', 'owner'], { thenBy: 'label' });
  return {
    queryKey: [...tagsKey, filter],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const count = (where: string | undefined) =>
        countQuietly(answer(client.GET('/api/Categories/count', { params: { query: { where } }, signal })));
      const [[stored, uses], total, ofDomains] = await Promise.all([
        answer(client.GET('/api/Categories', { params: { query: { filter } }, signal })).then(
          async (found) => [found as Stored[], await quietly(usesOf(found as Stored[], signal))] as const,
        ),
        count(resourceCount(search)),
        count(resourceCount(search, { also: { scope: 'tag' } })),
      ]);
      const most = Math.max(...stored.map(({ totalViews }) => totalViews ?? 0));
      const page = counted(
        search,
        stored.map((tag) => readRow(tag, uses, most)),
        total,
      );
      return {
        ...page,
        meta: { ...page.meta, ofDomains },
        exportCsv: resourceExport('Categories', search, { thenBy: 'label' }),
      };
    },
  };
};

const readRow = (stored: Stored, uses: ReadonlyMap<number, number> | undefined, most: number): TagRow => ({
  id: String(stored.id),
  label: nameOf(stored) ?? String(stored.id),
  slug: stored.name ?? '',
  scope: stored.scope === 'term' ? 'term' : 'tag',
  visibility: stored.visibility === 'all' ? 'all' : 'owner',
  brandOwnerId: stored.brandOwnerId ?? null,
  brand: nameOf(stored.owner),
  parentId: stored.parentId ?? null,
  parent: nameOf(stored.parent),
  children: (stored.children ?? []).map(({ id }) => Number(id)),
  uses: uses?.get(Number(stored.id)),
  totalViews: stored.totalViews ?? 0,
  share: most > 0 ? ((stored.totalViews ?? 0) / most) * 100 : 0,
  isSystem: SYSTEM.includes(stored.name ?? ''),
});

/** Tags per call. */
const COUNTED_AT_ONCE = 100;

/** On how many domains or terms tags are, by id. */
async function usesOf(tags: readonly Named[], signal: AbortSignal): Promise<ReadonlyMap<number, number>> {
  const ids = tags.map(({ id }) => Number(id));
  const calls = [];
  for (let from = 0; from < ids.length; from += COUNTED_AT_ONCE) {
    const query = { 'ids[]': ids.slice(from, from + COUNTED_AT_ONCE) };
    calls.push(
      answer(
        client.GET('/api/advertiserTag/uses', {
          params: { query },
          querySerializer: () => query['ids[]'].map((id) => `ids[]=${id}`).join('&'),
          signal,
        }),
      ),
    );
  }
  const answers = await Promise.all(calls);
  return new Map(answers.flatMap(({ data }) => data.map(({ id, uses }) => [id, uses] as const)));
}

/** Fields to write; a parent that is left out stays. */
export type TagChange = {
  label: string;
  scope: TagScope;
  visibility: TagVisibility;
  brandOwnerId: number | null;
  parentId?: number | null;
};

/** Creates a tag and returns its id. */
export async function createTag(body: TagChange): Promise<number> {
  const made = await answer(client.POST('/api/Categories', { body }));
  return Number(made.id);
}

export const updateTag = async (id: number, body: TagChange): Promise<void> =>
  void (await answer(client.PATCH('/api/Categories/{id}', { params: { path: { id } }, body })));

export const deleteTag = (id: string): Promise<void> =>
  done(client.DELETE('/api/Categories/{id}', { params: { path: { id: Number(id) } } }));

/** Puts a tag on a dealer or a term. */
export const linkTag = (scope: TagScope, id: number, fk: number): Promise<void> =>
  done(
    scope === 'tag'
      ? client.PUT('/api/Dealers/{id}/categories/rel/{fk}', { params: { path: { id, fk } } })
      : client.PUT('/api/Terms/{id}/categories/rel/{fk}', { params: { path: { id, fk } } }),
  );

/** Takes a tag off a dealer or a term. */
export const unlinkTag = (scope: TagScope, id: number, fk: number): Promise<void> =>
  done(
    scope === 'tag'
      ? client.DELETE('/api/Dealers/{id}/categories/rel/{fk}', { params: { path: { id, fk } } })
      : client.DELETE('/api/Terms/{id}/categories/rel/{fk}', { params: { path: { id, fk } } }),
  );

/** Domains per call. */
const DOMAINS_AT_ONCE = 500;

/** The ids of the dealers of domains, keyed by domain; the server creates missing ones. Throws at the first failed call. */
export async function dealersOf(domains: readonly string[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (let from = 0; from < domains.length; from += DOMAINS_AT_ONCE) {
    const body = { domains: domains.slice(from, from + DOMAINS_AT_ONCE) };
    const { data } = await answer(client.POST('/api/monitoring/dealers', { body }));
    for (const { domain, id } of data) ids.set(domain, id);
  }
  return ids;
}
