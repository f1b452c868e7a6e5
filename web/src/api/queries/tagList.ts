import type { ListSearch, Value } from '~/lib/listSearch';
import { type AsOf, answerAsOf, ifSeen, type Seen } from '../asOf';
import { answer, client, done } from '../client';
import { counted, countQuietly, quietly, resourceCount, resourceExport, resourcePage } from '../resourceFilter';
import { type Named, nameOf, OFFICIAL, type TagScope } from './tags';
import { newOperation, type Operation, partOf } from './undo';

/** The readers of a tag: the users of its brand, or everybody. */
export type TagVisibility = 'owner' | 'all';

/** Names of the tags that the server keeps from being changed. */
const SYSTEM: readonly string[] = [OFFICIAL, 'website-classification'];

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

/** A tag as the list of tags shows it. */
export interface TagRow extends Seen {
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
export const tagsQuery = (asked: ListSearch) => ({
  queryKey: [...tagsKey, asked],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const search = await withTagIds(asked, signal);
    const filter = resourcePage(search, ['parent', 'children', 'owner'], { thenBy: 'label' });
    const count = (where: string | undefined) =>
      countQuietly(answer(client.GET('/api/Categories/count', { params: { query: { where } }, signal })));
    const [[stored, asOf, uses], total, ofDomains] = await Promise.all([
      answerAsOf(client.GET('/api/Categories', { params: { query: { filter } }, signal })).then(
        async ({ data, asOf }) => [data as Stored[], asOf, await quietly(usesOf(data as Stored[], signal))] as const,
      ),
      count(resourceCount(search)),
      count(resourceCount(search, { also: { scope: 'tag' } })),
    ]);
    const most = Math.max(...stored.map(({ totalViews }) => totalViews ?? 0));
    const page = counted(
      search,
      stored.map((tag) => ({ ...readRow(tag, uses, most), asOf })),
      total,
    );
    return {
      ...page,
      meta: { ...page.meta, ofDomains },
      exportCsv: resourceExport('Categories', search, { thenBy: 'label' }),
    };
  },
});

/** The filters on what tags are on. The server has them the other way round: what is tagged knows its tags. */
const TAGGED = ['domain', 'term'] as const;

/** The search with its filters on tagged domains and terms as the ids of their tags. */
async function withTagIds(search: ListSearch, signal: AbortSignal): Promise<ListSearch> {
  const { domain, term, ...filters } = search.filters;
  const given = TAGGED.flatMap((name) => {
    const where = { domain, term }[name];
    return where?.type === 'inq' ? [tagIdsOf(name, where.value, signal)] : [];
  });
  if (given.length === 0) return search;
  const [first = [], ...others] = await Promise.all(given);
  const ids = first.filter((id) => others.every((other) => other.includes(id)));
  return { ...search, filters: { ...filters, id: { type: 'inq', value: ids } } };
}

/** The ids of the tags on any of these domains or terms. */
async function tagIdsOf(of: (typeof TAGGED)[number], ids: readonly Value[], signal: AbortSignal): Promise<number[]> {
  const include = [{ relation: 'categories', scope: { fields: ['id'] } }];
  const filter = JSON.stringify({ where: { id: { inq: ids } }, fields: ['id'], include });
  const query = { params: { query: { filter } }, signal };
  const found = await answer(of === 'domain' ? client.GET('/api/Dealers', query) : client.GET('/api/Terms', query));
  const tags = (found as { categories?: { id: number }[] }[]).flatMap(({ categories = [] }) => categories);
  return [...new Set(tags.map(({ id }) => id))];
}

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

/** On how many domains or terms tags are, by id. Asks in several calls at once where there are many tags; fails if any of them does. */
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

/** Changes a tag, as far as others did not since it was seen. */
export const updateTag = async (id: number, body: Partial<TagChange>, seen: AsOf | undefined): Promise<void> =>
  void (await answer(client.PATCH('/api/Categories/{id}', { params: { path: { id } }, headers: ifSeen(seen), body })));

/** Deletes a tag, unless others changed it since it was seen. Resolves with what undoes it. */
export async function deleteTag(id: string, seen: AsOf | undefined): Promise<Operation> {
  const operation = newOperation();
  const path = { id: Number(id) };
  const headers = { ...partOf(operation), ...ifSeen(seen) };
  await done(client.DELETE('/api/Categories/{id}', { params: { path }, headers }));
  return operation;
}
