/** The pages of the user guide by section, in reading order. Each is `docs/guide/{en,fr}/PAGE.md`. */
export const GUIDE = {
  firstDays: ['first-day-brand-owner', 'first-day-operator', 'first-day-administrator'],
  watching: ['figures', 'captures', 'lists', 'tags', 'groups', 'comparator'],
  acting: ['cases', 'mails', 'templates', 'proof', 'stop-go'],
  settings: ['terms', 'brands', 'accounts', 'google', 'operations'],
} as const;

export type GuideSection = keyof typeof GUIDE;
export type GuidePage = (typeof GUIDE)[GuideSection][number];
