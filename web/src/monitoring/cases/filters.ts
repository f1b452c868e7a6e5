import type { ParseKeys } from 'i18next';
import type { DatePreset } from '~/lib/dates';
import type { FilterDef, Filters } from '~/list/types';
import { ENGINES } from '../filters';

type Key = ParseKeys<['advertisers', 'monitoring', 'market']>;

const LANGUAGES = ['fr', 'en', 'sv', 'nl', 'de', 'ru', 'it', 'ja', 'es', 'ar', 'no', 'uk', 'pt', 'pl'] as const;

/** Statuses that everybody can filter by. */
const STATUSES = ['new', 'reappearance', 'ignored', 'requested', 'inprogress', 'accepted', 'refused'] as const;
/** Statuses that only operators and administrators can filter by. */
const STAFF_STATUSES = ['disappeared', 'reminded', 'blocked'] as const;

/** A range of one of the dates of a case. */
export const dateFilter = <Label extends string>(label: Label, presets: readonly DatePreset[]) =>
  ({ kind: 'dateRange', label, group: 'advertisers:group.dates', presets }) as const;

export const statusFilter = {
  kind: 'choice',
  label: 'advertisers:filter.status',
  group: 'advertisers:group.detection',
  quick: true,
  exclude: true,
  options: [
    ...STATUSES.map((status) => ({ value: status, label: `advertisers:status.${status}` as const })),
    ...STAFF_STATUSES.map((status) => ({
      value: status,
      label: `advertisers:status.${status}` as const,
      staff: true as const,
    })),
  ],
} satisfies FilterDef<Key>;

export const reappearanceFilter = {
  kind: 'choice',
  label: 'advertisers:filter.reappearance',
  group: 'advertisers:group.detection',
  single: true,
  options: [
    { value: 'only', label: 'advertisers:filter.only' },
    { value: 'exclude', label: 'advertisers:filter.exclude' },
  ],
} satisfies FilterDef<Key>;

export const providerFilter = {
  kind: 'choice',
  label: 'advertisers:filter.provider',
  group: 'monitoring:group.generic',
  options: [...ENGINES, { value: 'yahoo', label: 'advertisers:provider.yahoo' }],
} satisfies FilterDef<Key>;

export const languageFilter = {
  kind: 'choice',
  label: 'advertisers:filter.language',
  group: 'monitoring:group.generic',
  exclude: true,
  options: LANGUAGES.map((code) => ({ value: code, label: `advertisers:language.${code}` as const })),
} satisfies FilterDef<Key>;

/** Orders that are offered whatever the status. */
export const GENERAL_SORTS = [
  { order: 'lastView', label: 'advertisers:sort.lastView' },
  { order: 'createdDate', label: 'advertisers:sort.createdDate' },
  { order: 'requestedDate', label: 'advertisers:sort.requestedDate' },
  { order: 'updatedDate', label: 'advertisers:sort.updatedDate' },
] as const;

/** Orders by the date of a status, offered while the list is filtered by that status. */
const STATUS_SORTS = [
  {
    order: 'inprogressDate',
    label: 'advertisers:sort.inprogressDate',
    statuses: ['inprogress', 'reminded', 'blocked'],
  },
  { order: 'acceptedDate', label: 'advertisers:sort.acceptedDate', statuses: ['accepted'] },
  { order: 'refusedDate', label: 'advertisers:sort.refusedDate', statuses: ['refused'] },
  { order: 'reappearanceDate', label: 'advertisers:sort.reappearanceDate', statuses: ['reappearance'] },
  { order: 'disappearedDate', label: 'advertisers:sort.disappearedDate', statuses: ['disappeared'] },
] as const;

/** All orders by a date, as the server names them. */
export const DATE_SORTS = [...GENERAL_SORTS, ...STATUS_SORTS].map(({ order }) => order);

/** The orders that belong to the statuses that the list is filtered by. */
export function statusSorts({ status }: Filters) {
  const chosen = status?.type === 'inq' ? status.value.map(String) : [];
  return STATUS_SORTS.filter(({ statuses }) => statuses.some((one) => chosen.includes(one)));
}
