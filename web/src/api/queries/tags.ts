import { answer, client, done } from '../client';
import { matching } from '../matching';

/** What a tag marks: domains (through their dealers) or terms. */
export type TagScope = 'tag' | 'term';

export interface Tag {
  id: number;
  label: string;
  /** For domains: the tagged dealer, the domain's own or that of its registrable domain. */
  dealerId?: number | null;
}

/** A tag with its brand: several brands have tags of the same name. */
export interface OfferedTag extends Tag {
  /** The brand whose users see it; undefined if everybody does. */
  brand?: string | undefined;
  /** Marks a domain as a site of that brand, which sets its open cases against the brand aside. */
  isOfficial: boolean;
}

/** The name of every brand's tag for its own sites. */
const OFFICIAL = 'official';

/** Tags per search. */
const LIMIT = 50;

interface Stored {
  id?: number;
  name?: string | null;
  label?: string | null;
  owner?: { name?: string | null; label?: string | null } | null;
}

/** The tags of a scope whose name contains a text, ordered by name. */
export async function findTags(scope: TagScope, text: string, signal: AbortSignal): Promise<OfferedTag[]> {
  const filter = JSON.stringify({
    where: { scope, ...(text && { label: matching(text) }) },
    include: ['children', 'owner'],
    order: 'name ASC',
    limit: LIMIT,
  });
  const found = await answer(client.GET('/api/Categories', { params: { query: { filter } }, signal }));
  return (found as Stored[]).map(({ id, name, label, owner }) => ({
    id: Number(id),
    label: label ?? '',
    brand: owner?.label || owner?.name || undefined,
    isOfficial: scope === 'tag' && name === OFFICIAL,
  }));
}

/** Creates a tag for the users of one brand. */
export async function createTag(scope: TagScope, label: string, brandOwnerId: number): Promise<Tag> {
  const body = { label, scope, visibility: 'owner', brandOwnerId, parentId: null };
  const made = await answer(client.POST('/api/Categories', { body }));
  return { id: Number(made.id), label: made.label ?? label };
}

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

/** The ids of the dealers of domains; the server creates missing ones. */
export async function dealersOf(domains: readonly string[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (let from = 0; from < domains.length; from += DOMAINS_AT_ONCE) {
    const body = { domains: domains.slice(from, from + DOMAINS_AT_ONCE) };
    const { data } = await answer(client.POST('/api/monitoring/dealers', { body }));
    for (const { domain, id } of data) ids.set(domain, id);
  }
  return ids;
}
