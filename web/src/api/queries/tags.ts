import { answer, client, done } from '../client';
import { matching } from '../matching';
import { type Operation, partOf } from './undo';

/** What a tag marks: domains (through their dealers) or terms. */
export type TagScope = 'tag' | 'term';

export interface Tag {
  id: number;
  label: string;
  /** The brand it belongs to: several brands have tags of the same name. Undefined if it has none, or one the reader does not see. */
  brand?: string | null | undefined;
  /** For domains: the tagged dealer, the domain's own or that of its registrable domain. */
  dealerId?: number | null;
  /** Put on by others, so that the reader may not take it off. */
  ofOthers?: boolean | null;
}

export interface OfferedTag extends Tag {
  /** Marks a domain as a site of that brand, which sets its open cases against the brand aside. */
  isOfficial: boolean;
}

/** A tag's name, with its brand where it has one. */
export const tagWithBrand = ({ label, brand }: Pick<Tag, 'label' | 'brand'>): string =>
  brand ? `${label} · ${brand}` : label;

/** The name of every brand's tag for its own sites. */
export const OFFICIAL = 'official';

/** Tags per search. */
export const MOST_TAGS = 50;

/** A row with a name, as the server answers it. */
export interface Named {
  id?: number;
  name?: string | null;
  label?: string | null;
}

interface Stored extends Named {
  owner?: Named | null;
}

/** The name of a row on screens. */
export const nameOf = (named: Named | null | undefined): string | undefined => named?.label || named?.name || undefined;

/** Which tags of a scope to find. */
interface Narrowed {
  /** Ids to leave out. */
  without?: readonly number[];
  /** Only shared tags and those of these brands; of all brands if left out. */
  brands?: readonly number[] | undefined;
}

/** The tags of a scope whose name contains a text. */
const tagsNamed = (scope: TagScope, text: string, { without = [], brands }: Narrowed) => ({
  scope,
  ...(text && { label: matching(text) }),
  ...(without.length > 0 && { id: { nin: without } }),
  ...(brands && { or: [{ brandOwnerId: { inq: brands } }, { visibility: 'all' }] }),
});

/** How many tags of a scope have a name that contains a text. */
export async function countTags(
  scope: TagScope,
  text: string,
  signal: AbortSignal,
  narrowed: Narrowed = {},
): Promise<number> {
  const where = JSON.stringify(tagsNamed(scope, text, narrowed));
  return (await answer(client.GET('/api/Categories/count', { params: { query: { where } }, signal }))).count;
}

/** The tags of a scope whose name contains a text, ordered by name; at most `MOST_TAGS`. */
export async function findTags(
  scope: TagScope,
  text: string,
  signal: AbortSignal,
  narrowed: Narrowed = {},
): Promise<OfferedTag[]> {
  const filter = JSON.stringify({
    where: tagsNamed(scope, text, narrowed),
    include: ['children', 'owner'],
    order: 'name ASC',
    limit: MOST_TAGS,
  });
  const found = await answer(client.GET('/api/Categories', { params: { query: { filter } }, signal }));
  return (found as Stored[]).map(({ id, name, label, owner }) => ({
    id: Number(id),
    label: label ?? '',
    brand: nameOf(owner),
    isOfficial: scope === 'tag' && name === OFFICIAL,
  }));
}

/** The request for the link between a dealer or a term and a tag, as a part of an operation. */
const linkOf = (id: number, fk: number, operation: Operation) => ({
  params: { path: { id, fk } },
  headers: partOf(operation),
});

/** Puts a tag on a dealer or a term. */
export const linkTag = (scope: TagScope, id: number, fk: number, operation: Operation): Promise<void> =>
  done(
    scope === 'tag'
      ? client.PUT('/api/Dealers/{id}/categories/rel/{fk}', linkOf(id, fk, operation))
      : client.PUT('/api/Terms/{id}/categories/rel/{fk}', linkOf(id, fk, operation)),
  );

/** Takes a tag off a dealer or a term. */
export const unlinkTag = (scope: TagScope, id: number, fk: number, operation: Operation): Promise<void> =>
  done(
    scope === 'tag'
      ? client.DELETE('/api/Dealers/{id}/categories/rel/{fk}', linkOf(id, fk, operation))
      : client.DELETE('/api/Terms/{id}/categories/rel/{fk}', linkOf(id, fk, operation)),
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
