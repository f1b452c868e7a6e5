import type { TFunction } from 'i18next';
import type { Formats } from '~/lib/formats';
import { FREQUENCIES } from '~/lib/frequency';

const DAY_MS = 86_400_000;

/** How often a term is captured, in words; `every` is in milliseconds, 0 for auto. */
export function intervalText(every: number, { t, fmt }: { t: TFunction<'settingTerms'>; fmt: Formats }): string {
  const known = FREQUENCIES.find((one) => one.every === every);
  if (known) return t(`freq.${known.key}`);
  return t(every % DAY_MS === 0 ? 'every_days' : 'every', { span: fmt.span(every / 1_000) });
}
