import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useCountries } from '~/ui/useCountries';
import { useFormats } from '~/ui/useFormats';
import type { Describer } from './filters/kinds';
import type { AnyListDef, Words } from './types';

/** The words and formats of a list. Keys are checked where a list is defined, so here they are plain texts. */
export function useListWords(def: AnyListDef): Describer {
  const own = useTranslation([...def.ns] as never).t as unknown as Words;
  const list = useTranslation('list').t as unknown as Words;
  const formats = useFormats();
  // A list that speaks of no market has no countries.
  const { name: country } = useCountries({ enabled: def.ns.includes('market') });
  const fmt = useMemo(() => ({ ...formats, country }), [formats, country]);
  return { own, list, fmt };
}
