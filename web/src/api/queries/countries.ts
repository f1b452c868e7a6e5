import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';

/** A country that searches are made from. */
export interface Country {
  /** Two letters. */
  code: string;
  /** What it is called, by language. */
  names: Readonly<Record<string, string>>;
}

interface Place {
  locale?: string | null;
  country?: Record<string, string> | null;
}

const FILTER = JSON.stringify({ fields: ['locale', 'country'], order: 'locale ASC' });

/** Places come and go rarely. */
const FRESH_FOR_MS = 3_600_000;

/** The countries of all places that searches can be made from, each once. */
export const countriesQuery = queryOptions({
  queryKey: ['countries'],
  queryFn: async ({ signal }): Promise<Country[]> => {
    const places = await answer(client.GET('/api/Localizations', { params: { query: { filter: FILTER } }, signal }));
    return countriesOf(places as Place[]);
  },
  staleTime: FRESH_FOR_MS,
});

/** Locales are as in `fr_BE`; what is none names no country. */
export function countriesOf(places: readonly Place[]): Country[] {
  const found = new Map<string, Country>();
  for (const { locale, country } of places) {
    const code = /^[a-z]{2,3}_([A-Z]{2})$/.exec(locale ?? '')?.[1];
    if (code && !found.has(code)) found.set(code, { code, names: country ?? {} });
  }
  return [...found.values()];
}
