import { useTranslation } from 'react-i18next';
import type { TrailNames } from '~/api/queries/history';
import { AUTO } from '~/lib/frequency';
import { useFormats } from '~/ui/useFormats';

const SECOND_MS = 1_000;

/** The models of the rows that fields name. */
const NAMING: Record<string, string> = {
  brandId: 'Brand',
  brandOwnerId: 'Brand',
  parentId: 'Category',
  localizationId: 'Localization',
};

/** Fields whose texts are words of the product. */
const WORDS: readonly string[] = ['state', 'scope', 'visibility', 'engine', 'keywordType'];

/**
 * A function that writes a value of a trail as text: names in place of ids, words in the language of the reader, numbers with their units, and words
 * of their own for what is hidden (undefined), empty or gone.
 */
export function useTrailValue(names: TrailNames): (field: string, value: unknown) => string {
  const { t } = useTranslation('history');
  const fmt = useFormats();
  const word = (text: string) => t(`trail.word.${text}`, { defaultValue: text });
  const write = (field: string, value: unknown): string => {
    if (value === undefined) return t('trail.hidden');
    if (value === null || value === '') return t('trail.empty');
    const model = NAMING[field];
    if (model) return names[model]?.[String(value)] ?? t('trail.gone');
    if (typeof value === 'boolean') return value ? t('trail.yes') : t('trail.no');
    if (field === 'every') return value === AUTO ? t('trail.auto') : fmt.span(Number(value) / SECOND_MS);
    if (field === 'delayForOrganicResults') return fmt.span(Number(value) / SECOND_MS);
    if (field === 'region') return fmt.place(String(value));
    if (field === 'searchConvertRate') return fmt.share(Number(value));
    if (Array.isArray(value)) return fmt.list(value.map((one) => word(String(one))));
    if (typeof value === 'number') return fmt.count(value);
    return WORDS.includes(field) ? word(String(value)) : String(value);
  };
  return write;
}
