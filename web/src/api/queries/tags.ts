import { answer, client, done } from '../client';

/** What a tag stands on: domains (by their dealers) or terms. */
export type TagScope = 'tag' | 'term';

export interface Tag {
  id: number;
  label: string;
  /** Beside a domain: the dealer that it stands on, the domain's own or that of its registrable domain. */
  dealerId?: number | null;
}

/** A tag as it is offered: more than its name, since several brands have tags of one name. */
export interface OfferedTag extends Tag {
  /** The brand whose readers see it; none where all do. */
  brand?: string | undefined;
  /** Says that a domain is a site of that brand: its open cases against the brand are put aside. */
  isOfficial: boolean;
}

/** The name of every brand's tag for its own sites. */
const OFFICIAL = 'official';

/** Tags offered at once while somebody types. */
const LIMIT = 50;

interface Stored {
  id?: number;
  name?: string | null;
  label?: string | null;
  owner?: { name?: string | null; label?: string | null } | null;
}

/** The tags of a scope whose name holds a text, by name, as the reader sees them. */
export async function findTags(scope: TagScope, text: string, signal: AbortSignal): Promise<OfferedTag[]> {
  const pattern = `/${text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')}/i`;
  const filter = JSON.stringify({
    where: { scope, ...(text && { label: { regexp: pattern } }) },
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

/** Makes a tag that the readers of one brand see. */
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

/** Domains a call for dealers may name. */
const DOMAINS_AT_ONCE = 500;

/** The ids of the dealers of domains; the server makes those that are missing. */
export async function dealersOf(domains: readonly string[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (let from = 0; from < domains.length; from += DOMAINS_AT_ONCE) {
    const body = { domains: domains.slice(from, from + DOMAINS_AT_ONCE) };
    const { data } = await answer(client.POST('/api/monitoring/dealers', { body }));
    for (const { domain, id } of data) ids.set(domain, id);
  }
  return ids;
}
