import { currentLanguage } from '~/i18n';
import { formatsOf } from '~/lib/formats';
import { answer, client } from '../client';
import { matching } from '../matching';
import { tagWithBrand } from './tags';

/** Options per search. */
const LIMIT = 50;
/** Brands offered by forms before a text is typed. */
const FIRST_BRANDS = 10;
const KEYWORD_LIMIT = 100;

export interface Choice {
  value: string | number;
  label: string;
}

/** Brands of the reader's scope whose name matches. */
export const searchBrands = (query: string, signal?: AbortSignal): Promise<Choice[]> =>
  findBrands(query, LIMIT, signal);

/** The same for a tag: a few until a text is typed. */
export const searchBrandsOfTags = (query: string, signal: AbortSignal): Promise<Choice[]> =>
  findBrands(query, query === '' ? FIRST_BRANDS : LIMIT, signal);

async function findBrands(query: string, limit: number, signal: AbortSignal | undefined): Promise<Choice[]> {
  const { data } = await answer(
    client.GET('/api/brand', { params: { query: { query, limit } }, ...(signal && { signal }) }),
  );
  return data.map((brand) => ({ value: brand.id, label: brand.label }));
}

/** What an administrator's lists start with: the brand of the settings, else the validated one with most views. */
export async function defaultBrand(signal?: AbortSignal): Promise<Choice | undefined> {
  const { data } = await answer(client.GET('/api/brand/default', { signal }));
  return data ? { value: data.id, label: data.label } : undefined;
}

/** Tags: of domains (`tag`) or of keywords (`term`). */
export const searchTags =
  (scope: 'tag' | 'term') =>
  async (query: string, signal: AbortSignal): Promise<Choice[]> => {
    const { data } = await answer(
      client.GET('/api/advertiserTag/', { params: { query: { query, scope, limit: LIMIT } }, signal }),
    );
    return data.map((tag) => ({ value: tag.id, label: tagWithBrand(tag) }));
  };

export async function searchKeywords(query: string, signal: AbortSignal): Promise<Choice[]> {
  const { data } = await answer(
    client.GET('/api/monitoring/keywords', { params: { query: { query, limit: KEYWORD_LIMIT } }, signal }),
  );
  return data.map(({ content }) => ({ value: content, label: content }));
}

export async function searchDomains(query: string, signal: AbortSignal): Promise<Choice[]> {
  const { data } = await answer(
    client.GET('/api/monitoring/domains', { params: { query: { query, limit: LIMIT } }, signal }),
  );
  return data.map(({ domain }) => ({ value: domain, label: domain }));
}

/** Domains that can be tagged, by the ids of their dealers. */
export async function searchDealers(query: string, signal: AbortSignal): Promise<Choice[]> {
  const where = query === '' ? {} : { where: { domain: matching(query) } };
  const filter = JSON.stringify({ ...where, fields: ['id', 'domain'], order: 'domain ASC', limit: LIMIT });
  const found = await answer(client.GET('/api/Dealers', { params: { query: { filter } }, signal }));
  return found.map(({ id, domain }) => ({ value: Number(id), label: domain ?? String(id) }));
}

/** Terms by id. One keyword is a term on each engine and in each place: both are named. */
export async function searchTerms(query: string, signal: AbortSignal): Promise<Choice[]> {
  const filter = JSON.stringify({
    ...(query !== '' && { where: { term: matching(query) } }),
    fields: ['id', 'term', 'engine', 'localizationId'],
    include: ['localization'],
    order: 'term ASC',
    limit: KEYWORD_LIMIT,
  });
  const found = await answer(client.GET('/api/Terms', { params: { query: { filter } }, signal }));
  const { place } = formatsOf(currentLanguage());
  const named = ({ city, region }: NonNullable<TermOption['localization']>) =>
    [...new Set([city, region])]
      .map((name) => name && place(name))
      .filter(Boolean)
      .join(', ');
  return (found as TermOption[]).map(({ id, term, engine, localization }) => ({
    value: Number(id),
    label: [term, engine && ENGINE_NAMES[engine], localization && named(localization)].filter(Boolean).join(' · '),
  }));
}

interface TermOption {
  id?: number;
  term?: string | null;
  engine?: string | null;
  localization?: { city?: string | null; region?: string | null } | null;
}

/** The same in every language. */
const ENGINE_NAMES: Readonly<Record<string, string>> = { GOOGLE: 'Google', BING: 'Bing' };

/** The regions that terms can target in these countries, one country after the other; a choice's value is the region's name, not an id. */
export async function regionsOf(countries: readonly string[], signal: AbortSignal): Promise<Choice[]> {
  const lists = await Promise.all(
    countries.map((country) =>
      answer(client.GET('/api/monitoring/regions', { params: { query: { country } }, signal })),
    ),
  );
  return lists.flatMap(({ data }) => data.map(({ name }) => ({ value: name, label: name })));
}
