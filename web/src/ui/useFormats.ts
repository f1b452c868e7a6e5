import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { countriesQuery } from '~/api/queries/countries';
import { type Formats, formatsOf } from '~/lib/formats';

/** How figures and dates are written in the language shown. */
export const useFormats = (): Formats => formatsOf(useTranslation().i18n.language);

/** Offered whether or not searches are made from there. */
const ALWAYS = ['FR', 'GB', 'DE', 'BE', 'PT', 'ES', 'IT', 'CH', 'NL'] as const;

export interface Countries {
  /** Two letters each, ordered by name. */
  codes: readonly string[];
  /** What a country is called: as its places say, else as the browser does. */
  name(code: string): string;
}

/** The countries of the places that searches are made from, in the language shown. */
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
