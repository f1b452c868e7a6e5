import type { components } from '~/api/schema';

/** A field of a trail, before and after; undefined where the reader does not see what it named. */
export interface ShownChange {
  field: string;
  before?: unknown;
  after?: unknown;
}

/** What a trail shows, in this order; after a dot a part of options or reminders. */
const SHOWN = [
  'term',
  'label',
  'name',
  'state',
  'every',
  'engine',
  'localizationId',
  'region',
  'brandId',
  'keywordType',
  'devices',
  'searchConvertRate',
  'options.saveOrganicResults',
  'options.disableSaveAds',
  'options.saveShoppingAds',
  'options.delayForOrganicResults',
  'autoMatchRegExp',
  'autoMatchExcludeRegExp',
  'validated',
  'createNotification',
  'createShoppingNotification',
  'notificationAuto',
  'reminder.autoReminder',
  'reminder.frequency',
  'reminder.quota',
  'scope',
  'visibility',
  'brandOwnerId',
  'parentId',
];

const partOf = (value: unknown, part: string): unknown =>
  value !== null && typeof value === 'object' ? ((value as Record<string, unknown>)[part] ?? null) : null;

/**
 * The changed fields that are shown. Options and reminders are stored as a whole: of them only the parts that differ
 * are shown, by their own names.
 */
export function shownChanges(changes: readonly components['schemas']['FieldChangeView'][]): ShownChange[] {
  return SHOWN.flatMap((shown): ShownChange[] => {
    const [field, part] = shown.split('.');
    const change = changes.find((one) => one.field === field);
    if (!change) return [];
    if (!part) return [{ ...change }];
    const before = partOf(change.before, part);
    const after = partOf(change.after, part);
    return before === after ? [] : [{ field: part, before, after }];
  });
}
