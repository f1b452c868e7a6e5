import type { Patterns } from '~/api/queries/brandMatch';
import { type BrandChange, type BrandFlag, type BrandRow, REMINDER_DEFAULTS } from '~/api/queries/brands';
import type { Chosen } from '~/ui/form/AsyncSelect';
import { readPattern, storedPattern } from './patterns';

/** What the form of a brand holds. */
export interface BrandValues extends Record<string, unknown> {
  label: string;
  companies: readonly Chosen[];
  autoMatchRegExp: string;
  strict: boolean;
  autoMatchExcludeRegExp: string;
  excludeStrict: boolean;
  flags: Readonly<Record<BrandFlag, boolean>>;
  frequency: number | string;
  quota: number | string;
}

/** As on the server: nothing happens before somebody turns it on. */
const NEW_FLAGS: Readonly<Record<BrandFlag, boolean>> = {
  validated: false,
  createNotification: false,
  createShoppingNotification: false,
  notificationAuto: false,
  autoReminder: false,
};

/** What the form starts with: the stored brand, or the defaults of a new one, which may have a company account already. */
export function valuesOf(brand: BrandRow | null, company?: Chosen): BrandValues {
  const include = readPattern(brand?.autoMatch ?? '');
  const exclude = readPattern(brand?.autoMatchExclude ?? '');
  return {
    label: brand?.label ?? '',
    companies: brand?.companies.map(({ id, label }) => ({ value: id, label })) ?? (company ? [company] : []),
    autoMatchRegExp: include.text,
    strict: brand ? include.strict : true,
    autoMatchExcludeRegExp: exclude.text,
    excludeStrict: brand ? exclude.strict : true,
    flags: brand?.flags ?? NEW_FLAGS,
    frequency: brand?.frequency ?? REMINDER_DEFAULTS.frequency,
    quota: brand?.quota ?? REMINDER_DEFAULTS.quota,
  };
}

/** The patterns as they would be stored. */
export const patternsOf = (values: BrandValues): Patterns => ({
  autoMatch: storedPattern({ text: values.autoMatchRegExp, strict: values.strict }),
  autoMatchExclude: storedPattern({ text: values.autoMatchExcludeRegExp, strict: values.excludeStrict }),
});

/**
 * What was edited, and nothing else: a brand without a reminder or a setting of its own keeps that of its company account. An edited reminder is
 * whole, as it was shown.
 */
export function changeOf(values: BrandValues, initial: BrandValues): BrandChange {
  const { autoReminder, ...others } = values.flags;
  const flags = Object.fromEntries(
    Object.entries(others).filter(([flag, on]) => on !== initial.flags[flag as BrandFlag]),
  ) as BrandChange['flags'];
  const { autoMatch, autoMatchExclude } = patternsOf(values);
  const before = patternsOf(initial);
  const reminds =
    autoReminder !== initial.flags.autoReminder ||
    values.frequency !== initial.frequency ||
    values.quota !== initial.quota;
  return {
    ...(values.label !== initial.label && { label: values.label }),
    ...(autoMatch !== before.autoMatch && { autoMatch }),
    ...(autoMatchExclude !== before.autoMatchExclude && { autoMatchExclude }),
    ...(flags && Object.keys(flags).length > 0 && { flags }),
    ...(reminds && {
      reminder: { autoReminder, frequency: Number(values.frequency), quota: Number(values.quota) },
    }),
  };
}
