import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';

/** A country of tracked places. */
export interface Country {
  /** ISO 3166 alpha-2. */
  code: string;
  /** Names by language code. */
  names: Readonly<Record<string, string>>;
}

interface Place {
  locale?: string | null;
  city?: string | null;
  region?: string | null;
  country?: Record<string, string> | null;
}

/** More places than anybody tracks. */
const MOST_PLACES = 10_000;

const FILTER = JSON.stringify({
  fields: ['locale', 'city', 'region', 'country'],
  order: 'locale ASC',
  limit: MOST_PLACES,
});

/** Places rarely change. */
const FRESH_FOR_MS = 3_600_000;

/** All tracked places. */
const placesQuery = queryOptions({
  queryKey: ['places'],
  queryFn: async ({ signal }): Promise<Place[]> => {
    const places = await answer(client.GET('/api/Localizations', { params: { query: { filter: FILTER } }, signal }));
    return places as Place[];
  },
  staleTime: FRESH_FOR_MS,
});

/** The countries of all tracked places, without duplicates. */
export const countriesQuery = { ...placesQuery, select: countriesOf };

/** The cities, by `cityKey`, whose name tracked places of several regions of their country have. */
export const namesakesQuery = { ...placesQuery, select: namesakesOf };

/** The country code of a locale like `fr_BE`; undefined for another text. */
const countryOf = (locale: string | null | undefined) => /^[a-z]{2,3}_([A-Z]{2})$/.exec(locale ?? '')?.[1];

/** The countries of the places whose locale is like `fr_BE`, each once, in order of appearance; places with another locale are skipped. */
export function countriesOf(places: readonly Place[]): Country[] {
  const found = new Map<string, Country>();
  for (const { locale, country } of places) {
    const code = countryOf(locale);
    if (code && !found.has(code)) found.set(code, { code, names: country ?? {} });
  }
  return [...found.values()];
}

/** Names a city of a country, by its code. */
export const cityKey = (country: string, city: string): string => `${country} ${city}`;

/** The cities, by `cityKey`, that places of several regions of their country are called. */
export function namesakesOf(places: readonly Place[]): ReadonlySet<string> {
  const regions = new Map<string, Set<string>>();
  for (const { locale, city, region } of places) {
    const key = cityKey(countryOf(locale) ?? '', city ?? '');
    regions.set(key, (regions.get(key) ?? new Set()).add(region ?? ''));
  }
  return new Set([...regions].filter(([, several]) => several.size > 1).map(([key]) => key));
}
