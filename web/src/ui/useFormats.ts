import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { countriesQuery } from '~/api/queries/countries';
import { type Formats, formatsOf } from '~/lib/formats';

/** Number and date formats in the current language. */
export const useFormats = (): Formats => formatsOf(useTranslation().i18n.language);

/** Offered even without a tracked place there. */
const ALWAYS = ['FR', 'GB', 'DE', 'BE', 'PT', 'ES', 'IT', 'CH', 'NL'] as const;

export interface Countries {
  /** ISO 3166 alpha-2 codes, ordered by name. */
  codes: readonly string[];
  /** The name stored with its places, else a translation, else the browser's. */
  name(code: string): string;
}

/**
 * The countries of tracked places and some that are always offered, ordered by their names in the current language. Only the latter until the
 * former have loaded, which they do not without `enabled`.
 */
export function useCountries({ enabled = true } = {}): Countries {
  const { t, i18n } = useTranslation('market');
  const fmt = useFormats();
  const { data } = useQuery({ ...countriesQuery, enabled });
  return useMemo(() => {
    const stored = new Map(data?.map(({ code, names }) => [code, names[i18n.language]]));
    const name = (code: string) => stored.get(code) || t(`country.${code}`, { defaultValue: fmt.country(code) });
    const codes = [...new Set([...ALWAYS, ...stored.keys()])];
    return { codes: codes.sort((one, other) => name(one).localeCompare(name(other), i18n.language)), name };
  }, [data, t, fmt, i18n.language]);
}
