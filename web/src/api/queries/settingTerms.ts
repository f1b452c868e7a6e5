import type { QueryClient } from '@tanstack/react-query';
import { currentLanguage } from '~/i18n';
import { withoutAccents } from '~/lib/accents';
import { formatsOf } from '~/lib/formats';
import { DEFAULT_ORGANIC_DELAY, DEFAULT_RATE } from '~/lib/frequency';
import type { ListSearch, WholeList } from '~/lib/listSearch';
import { placeAndRegion, placesCalled } from '~/lib/regions';
import { type AsOf, answerAsOf, ifSeen, type Seen } from '../asOf';
import { answer, client, done } from '../client';
import { matching } from '../matching';
import { matchingName } from '../matchingName';
import {
  counted,
  countQuietly,
  type OwnConditions,
  resourceCount,
  resourceExport,
  resourcePage,
} from '../resourceFilter';
import type { components } from '../schema';
import type { Choice } from './choices';
import type { Tag } from './tags';
import { allOrNone, newOperation, type Operation, partOf } from './undo';

export const TERM_STATES = ['enabled', 'disabled', 'archived'] as const;
export type TermState = (typeof TERM_STATES)[number];

/** What is saved of a capture. */
export interface TermOptions {
  saveOrganicResults: boolean;
  disableSaveAds: boolean;
  saveShoppingAds: boolean;
  /** Milliseconds between saved sets of organic results. */
  delayForOrganicResults: number;
}

export interface SettingTermRow extends Seen {
  id: string;
  termId: number;
  term: string;
  /** In lower case. */
  engine: string;
  keywordType: string;
  state: TermState;
  /** ISO 3166 alpha-2; empty if the place was deleted. */
  country: string;
  city: string;
  /** The region that the city is in. */
  regionOfCity: string;
  /** The targeted region. */
  region: string;
  brand: Choice | null;
  /** In milliseconds; 0 is auto, null never. */
  every: number | null;
  /** The share of searches that auto captures, from 0 to 1. */
  searchConvertRate: number;
  monthlySearches: number | undefined;
  options: TermOptions;
  categories: readonly Tag[];
  /** These see the term besides the company accounts of its brand. */
  companies: readonly Choice[];
}

interface Named {
  id: number;
  name?: string | null;
  label?: string | null;
}

interface Stored {
  id?: number;
  term?: string | null;
  engine?: string | null;
  keywordType?: string | null;
  state?: string | null;
  region?: string | null;
  every?: number | null;
  searchConvertRate?: number | null;
  options?: Partial<TermOptions> | null;
  searchStats?: { monthly?: unknown } | null;
  brand?: Named | null;
  localization?: { locale?: string | null; city?: string | null; region?: string | null } | null;
  categories?: { id: number; label?: string | null }[];
  canBeAccessBy?: Named[];
}

/** Query key of the pages of the list. */
export const settingTermsKey = ['settingTerms'] as const;

const INCLUDE = ['brand', 'localization', 'categories', 'canBeAccessBy'];

/** The value of the campaign filter for terms that save shopping ads, too. */
export const WITH_SHOPPING = 'adsShopping';

const CONDITIONS: OwnConditions = {
  term: (where) => (where.type === 'contain' ? { term: matching(where.value) } : undefined),
  // A term without the option saves no shopping ads.
  campaign: ({ value }) =>
    Array.isArray(value) && value.includes(WITH_SHOPPING)
      ? { 'options.saveShoppingAds': true }
      : { or: [{ 'options.saveShoppingAds': null }, { 'options.saveShoppingAds': false }] },
};

/** A page of terms with their brand, place, tags and company accounts. */
export const settingTermsQuery = (search: ListSearch) => {
  const filter = resourcePage(search, INCLUDE, { own: CONDITIONS });
  return {
    queryKey: [...settingTermsKey, filter],
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const where = resourceCount(search, { own: CONDITIONS });
      const [{ data, asOf }, total] = await Promise.all([
        answerAsOf(client.GET('/api/Terms', { params: { query: { filter } }, signal })),
        countQuietly(answer(client.GET('/api/Terms/count', { params: { query: { where } }, signal }))),
      ]);
      return {
        ...counted(
          search,
          (data as Stored[]).map((stored) => ({ ...readRow(stored), asOf })),
          total,
        ),
        exportCsv: resourceExport('Terms', search, { own: CONDITIONS }),
      };
    },
  };
};

/** The country of a locale such as `fr_FR` or `fr-FR`; empty where it names none. */
const countryOf = (locale: string | null | undefined): string => locale?.split(/[_-]/)[1] ?? '';

const nameOf = ({ id, name, label }: Named): string => label || name || String(id);

const readRow = (stored: Stored): SettingTermRow => {
  const monthly = stored.searchStats?.monthly;
  return {
    id: String(stored.id),
    termId: Number(stored.id),
    term: stored.term ?? '',
    engine: (stored.engine ?? '').toLowerCase(),
    keywordType: stored.keywordType ?? '',
    state: TERM_STATES.find((state) => state === stored.state) ?? 'disabled',
    country: countryOf(stored.localization?.locale),
    city: stored.localization?.city ?? '',
    regionOfCity: stored.localization?.region ?? '',
    region: stored.region ?? '',
    brand: stored.brand ? { value: stored.brand.id, label: nameOf(stored.brand) } : null,
    every: stored.every ?? null,
    searchConvertRate: stored.searchConvertRate ?? DEFAULT_RATE / 100,
    monthlySearches: typeof monthly === 'number' ? monthly : undefined,
    options: {
      saveOrganicResults: stored.options?.saveOrganicResults ?? false,
      disableSaveAds: stored.options?.disableSaveAds ?? false,
      saveShoppingAds: stored.options?.saveShoppingAds ?? false,
      delayForOrganicResults: stored.options?.delayForOrganicResults ?? DEFAULT_ORGANIC_DELAY,
    },
    categories: (stored.categories ?? []).map(({ id, label }) => ({ id, label: label ?? '' })),
    companies: (stored.canBeAccessBy ?? []).map((company) => ({ value: company.id, label: nameOf(company) })),
  };
};

/** Fields of terms to write; others keep their value. */
export type TermFields = Pick<
  components['schemas']['TermFields'],
  'state' | 'every' | 'searchConvertRate' | 'keywordType' | 'brandId'
> & { options?: TermOptions };

/** Terms per call: the server takes no longer list of ids. */
const TERMS_AT_ONCE = 1_000;

/** The terms that a change is about: these rows or, with `whole`, all terms of the list that they are a part of. */
export interface TermTarget {
  rows: readonly SettingTermRow[];
  whole?: WholeList | undefined;
}

/** The most terms that one call changes. */
export const MOST_TERMS = 10_000;

/** The condition of all terms under the filters of the list, as JSON. */
export const wholeTermList = (search: ListSearch): string => resourceCount(search, { own: CONDITIONS }) ?? '{}';

/** A call for all terms of a list: all or none. Filters may leave every term, which the server changes only when it is confirmed. */
const ofWhole = ({ where }: WholeList) => ({ params: { query: { where, confirm: 'all' } } });

/** The conditions that name terms by id, each short enough for one call. */
export function conditionsOf(terms: readonly number[]): string[] {
  const calls = Math.ceil(terms.length / TERMS_AT_ONCE);
  return Array.from({ length: calls }, (_, call) => {
    const ids = terms.slice(call * TERMS_AT_ONCE, (call + 1) * TERMS_AT_ONCE);
    return JSON.stringify({ id: { inq: ids } });
  });
}

const idsOf = (rows: readonly SettingTermRow[]): number[] => rows.map(({ termId }) => termId);

/** Writes the same fields to all of these terms, as far as others did not since they were seen. Resolves with what undoes it. */
export async function changeTerms(
  { rows, whole }: TermTarget,
  body: TermFields,
  seen: AsOf | undefined,
): Promise<Operation> {
  const operation = newOperation();
  const headers = { ...partOf(operation), ...ifSeen(seen) };
  if (whole) {
    await answer(client.PATCH('/api/Terms', { ...ofWhole(whole), headers, body }));
    return operation;
  }
  const [only, ...others] = rows;
  if (only && others.length === 0) {
    await answer(client.PATCH('/api/Terms/{id}', { params: { path: { id: only.termId } }, headers, body }));
    return operation;
  }
  const calls = conditionsOf(idsOf(rows)).map(
    (where) => () => answer(client.PATCH('/api/Terms', { params: { query: { where } }, headers, body })),
  );
  await allOrNone(operation, calls);
  return operation;
}

/** Deletes terms, several of them by one call, unless others changed them since they were seen. Resolves with what undoes it. */
export async function deleteTerms({ rows, whole }: TermTarget, seen: AsOf | undefined): Promise<Operation> {
  const operation = newOperation();
  const headers = { ...partOf(operation), ...ifSeen(seen) };
  const [only, ...others] = rows;
  if (whole) {
    await done(client.DELETE('/api/Terms', { ...ofWhole(whole), headers }));
  } else if (only && others.length === 0) {
    await done(client.DELETE('/api/Terms/{id}', { params: { path: { id: only.termId } }, headers }));
  } else {
    const calls = conditionsOf(idsOf(rows)).map(
      (where) => () => done(client.DELETE('/api/Terms', { params: { query: { where } }, headers })),
    );
    await allOrNone(operation, calls);
  }
  return operation;
}

/** Links each term with the company accounts that are added, and unlinks it from those that are removed: all or nothing. Resolves with what undoes it. */
export async function changeAccess(
  rows: readonly SettingTermRow[],
  added: readonly Choice[],
  removed: readonly Choice[],
): Promise<Operation> {
  const operation = newOperation();
  const ids = (companies: readonly Choice[]) => companies.map(({ value }) => Number(value));
  const body = { terms: idsOf(rows), add: ids(added), remove: ids(removed) };
  await answer(client.POST('/api/Terms/changeAccess', { body, headers: partOf(operation) }));
  return operation;
}

interface Page {
  rows: SettingTermRow[];
  meta: { total: number };
}

/** Shows a change: of one term in place, of several by loading the list again. */
export async function showChange(
  queries: QueryClient,
  { rows, whole }: TermTarget,
  change: Partial<SettingTermRow>,
): Promise<void> {
  if (whole || rows.length !== 1) return queries.invalidateQueries({ queryKey: settingTermsKey });
  queries.setQueriesData<Page>(
    { queryKey: settingTermsKey },
    (page) => page && { ...page, rows: page.rows.map((row) => (row.id === rows[0]?.id ? { ...row, ...change } : row)) },
  );
}

/** Removes deleted terms from what is shown: one in place, several by loading the list again. */
export async function showDeletion(queries: QueryClient, { rows, whole }: TermTarget): Promise<void> {
  if (whole || rows.length !== 1) return queries.invalidateQueries({ queryKey: settingTermsKey });
  queries.setQueriesData<Page>({ queryKey: settingTermsKey }, (page) => {
    if (!page?.rows.some(({ id }) => id === rows[0]?.id)) return page;
    return {
      ...page,
      rows: page.rows.filter(({ id }) => id !== rows[0]?.id),
      meta: { total: page.meta.total - 1 },
    };
  });
}

/** What is given of new terms; they differ in their words alone. */
export interface NewTerms {
  keywords: readonly string[];
  localizationId: number;
  engine: string;
  region: string | null;
  every: number;
  /** From 0 to 1; undefined for the server's default. */
  searchConvertRate: number | undefined;
  devices: readonly string[];
  state: TermState;
  options: TermOptions;
  canBeAccessBy: readonly number[];
  categories: readonly number[];
}

/** The ids of created terms, and how many were there already and are skipped. */
export interface CreatedTerms {
  created: readonly number[];
  skipped: number;
}

/** Creates terms, as far as they are not there already. */
export async function createTerms({ keywords, ...shared }: NewTerms): Promise<CreatedTerms> {
  const list = keywords.map((term) => ({ term, ...shared }));
  // The contract names the body of one; a list of them is taken, too.
  const body = list as unknown as components['schemas']['TermFields'];
  const outcome = await client.POST('/api/Terms', { body });
  const made: unknown = await answer(Promise.resolve(outcome));
  const skipped = Number(outcome.response.headers.get('X-Skipped'));
  return { created: (Array.isArray(made) ? made : [made]).map(({ id }: { id: number }) => id), skipped };
}

/** A place to search from. */
export interface Place extends Choice {
  /** ISO 3166 alpha-2; empty where its locale names no country. */
  country: string;
}

/** Places per search. */
const PLACES = 10;

/** The languages of tracked places. */
const LANGUAGES = 'ar cs da de el en es fi fr hu it ja nl no pl pt ro ru sv uk'.split(' ');

/** The languages whose name in the current language begins with a text. */
function languagesCalled(text: string): string[] {
  const { language } = formatsOf(currentLanguage());
  const sought = withoutAccents(text.trim());
  return sought === '' ? [] : LANGUAGES.filter((code) => withoutAccents(language(code)).startsWith(sought));
}

/**
 * Places whose locale, city, region, language or country contains a text. Languages, countries and places are found by their names in the current
 * language, with or without accents.
 */
export async function searchPlaces(query: string, signal: AbortSignal): Promise<Place[]> {
  const language = currentLanguage();
  const names = placesCalled(query, language);
  const conditions = [
    { locale: matching(query) },
    { language: matching(query) },
    ...['city', 'region', `country.${language}`].map((field) => ({ [field]: matchingName(query) })),
    { language: { inq: languagesCalled(query) } },
    { city: { inq: names } },
    { region: { inq: names } },
  ];
  const where = query !== '' && { where: { or: conditions } };
  const filter = JSON.stringify({ ...where, order: 'locale ASC', limit: PLACES });
  const rows = await answer(client.GET('/api/Localizations', { params: { query: { filter } }, signal }));
  return rows.map(({ id, locale, city, region }) => ({
    value: Number(id),
    label: [city && placeAndRegion(city, region ?? '', language), locale && `(${locale})`].filter(Boolean).join(' '),
    country: countryOf(locale),
  }));
}
