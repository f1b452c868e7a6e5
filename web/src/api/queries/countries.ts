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
  country?: Record<string, string> | null;
}

const FILTER = JSON.stringify({ fields: ['locale', 'country'], order: 'locale ASC' });

/** Places rarely change. */
const FRESH_FOR_MS = 3_600_000;

/** The countries of all tracked places, without duplicates. */
export const countriesQuery = queryOptions({
  queryKey: ['countries'],
  queryFn: async ({ signal }): Promise<Country[]> => {
    const places = await answer(client.GET('/api/Localizations', { params: { query: { filter: FILTER } }, signal }));
    return countriesOf(places as Place[]);
  },
  staleTime: FRESH_FOR_MS,
});

/** The countries of the places whose locale is like `fr_BE`, each once, in order of appearance; places with another locale are skipped. */
export function countriesOf(places: readonly Place[]): Country[] {
  const found = new Map<string, Country>();
  for (const { locale, country } of places) {
    const code = /^[a-z]{2,3}_([A-Z]{2})$/.exec(locale ?? '')?.[1];
    if (code && !found.has(code)) found.set(code, { code, names: country ?? {} });
  }
  return [...found.values()];
}
