import type { TFunction } from 'i18next';
import type { Matched } from '~/api/queries/brandMatch';
import { errorText } from '~/ui/errorText';
import { fieldErrors } from '~/ui/form/useSavedForm';

/** The fields of a brand that hold its patterns. */
export const PATTERN_FIELDS = ['autoMatchRegExp', 'autoMatchExcludeRegExp'] as const;

/** What a match has changed, in words. */
export const matchedWords = ({ linked, released }: Matched, t: TFunction<'brands'>): string =>
  [t('match.linked', { count: linked }), released > 0 && t('match.released', { count: released })]
    .filter(Boolean)
    .join(' ');

/** Why a match failed: what is wrong with a pattern, or else the text of the error. */
export const failureWords = (error: unknown, t: TFunction<'common'>): string =>
  Object.values(fieldErrors(error, PATTERN_FIELDS, t))[0] ?? errorText(error, t);
