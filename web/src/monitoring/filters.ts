import type { ParseKeys } from 'i18next';
import {
  defaultBrand,
  regionsOf,
  searchBrands,
  searchDomains,
  searchKeywords,
  searchTags,
} from '~/api/queries/choices';
import { isAdmin, isStaff, type Me } from '~/api/session';
import { currentLanguage } from '~/i18n';
import { type DatePreset, type Dayjs, lastDays } from '~/lib/dates';
import { formatsOf } from '~/lib/formats';
import { FIRST_PAGE, type ListSearch, type Where } from '~/lib/listSearch';
import type { FilterDef, Filters, Option } from '~/list/types';

type Key = ParseKeys<['monitoring', 'market']>;

/** The periods that every list of ads offers. */
export const DATE_PRESETS: readonly DatePreset[] = [
  'today',
  'yesterday',
  'last7',
  'last30',
  'last60',
  'thisMonth',
  'lastMonth',
];

export const ENGINES = [
  { value: 'google', label: 'market:engine.google' },
  { value: 'bing', label: 'market:engine.bing' },
] as const satisfies readonly Option<Key>[];

/** The countries a list is limited to; empty where countries are only excluded. */
const chosenCountries = ({ country }: Filters): string[] => (country?.type === 'inq' ? country.value.map(String) : []);

export const brandFilter = {
  kind: 'asyncChoice',
  label: 'monitoring:filter.brand',
  group: 'monitoring:group.generic',
  quick: true,
  search: searchBrands,
  exclude: true,
} satisfies FilterDef<Key>;

export const countryFilter = {
  kind: 'countries',
  label: 'monitoring:filter.country',
  group: 'monitoring:group.generic',
  quick: true,
  exclude: true,
} satisfies FilterDef<Key>;

/** Leaves out the brand column where every row the user can see is of the same brand. */
export const redundantBrand = (brand: Where | undefined, me: Me): readonly string[] => {
  const isChosen = brand?.type === 'inq' && brand.value.length === 1;
  const isOnly = !isStaff(me) && (me.companyAccount?.brands?.length ?? 0) <= 1;
  return isChosen || isOnly ? ['brand'] : [];
};

export const typeFilter = {
  kind: 'choice',
  label: 'monitoring:filter.type',
  group: 'monitoring:group.generic',
  single: true,
  options: [
    { value: 'ads', label: 'market:type.ads' },
    { value: 'shopping', label: 'market:type.shopping' },
    { value: 'all', label: 'market:type.adsShopping', values: ['ads', 'shopping'] },
  ],
} satisfies FilterDef<Key>;

export const advertiserTagFilter = {
  kind: 'asyncChoice',
  label: 'monitoring:filter.advertiserTag',
  group: 'monitoring:group.domainAndTerms',
  search: searchTags('tag'),
  exclude: true,
} satisfies FilterDef<Key>;

export const keywordTagFilter = {
  kind: 'asyncChoice',
  label: 'monitoring:filter.keywordTag',
  group: 'monitoring:group.domainAndTerms',
  search: searchTags('term'),
  exclude: true,
} satisfies FilterDef<Key>;

/** The filters that Domains and Terms share. */
export const detectionFilters = {
  date: {
    kind: 'dateRange',
    label: 'monitoring:filter.date',
    group: 'monitoring:group.lastDetection',
    quick: true,
    presets: DATE_PRESETS,
  },
  brandID: brandFilter,
  country: countryFilter,
  region: {
    kind: 'asyncChoice',
    label: 'monitoring:filter.region',
    group: 'monitoring:group.generic',
    exclude: true,
    needs: {
      met: (filters: Filters) => chosenCountries(filters).length > 0,
      hint: 'monitoring:filter.regionNeedsCountry',
    },
    search: async (query: string, signal: AbortSignal, filters: Filters) => {
      const regions = await regionsOf(chosenCountries(filters), signal);
      const { place } = formatsOf(currentLanguage());
      const named = regions.map(({ value, label }) => ({ value, label: place(label) }));
      return named.filter((region) =>
        [region.label, String(region.value)].some((name) => name.toLowerCase().includes(query.toLowerCase())),
      );
    },
  },
  engine: {
    kind: 'choice',
    label: 'monitoring:filter.engine',
    group: 'monitoring:group.generic',
    quick: true,
    options: ENGINES,
  },
  device: {
    kind: 'choice',
    label: 'monitoring:filter.device',
    group: 'monitoring:group.generic',
    quick: true,
    options: [
      { value: 'desktop', label: 'market:device.desktop' },
      { value: 'mobile', label: 'market:device.mobile' },
      { value: 'tablet', label: 'market:device.tablet' },
    ],
  },
  type: typeFilter,
  domain: {
    kind: 'chips',
    label: 'monitoring:filter.domain',
    group: 'monitoring:group.domainAndTerms',
    search: searchDomains,
    exclude: true,
    contain: true,
  },
  advertiserTag: advertiserTagFilter,
  keywordContent: {
    kind: 'chips',
    label: 'monitoring:filter.keywordContent',
    group: 'monitoring:group.domainAndTerms',
    search: searchKeywords,
    exclude: true,
    contain: true,
  },
  keywordTag: keywordTagFilter,
  keywordType: {
    kind: 'choice',
    label: 'monitoring:filter.keywordType',
    group: 'monitoring:group.domainAndTerms',
    options: (['GENERIC', 'BRAND', 'GENERIC_BRAND', 'MULTIBRAND'] as const).map((type) => ({
      value: type,
      label: `market:keywordType.${type}` as const,
    })),
  },
} satisfies Record<string, FilterDef<Key>>;

export const adTextFilters = {
  adTitle: { kind: 'text', label: 'monitoring:filter.adTitle', group: 'monitoring:group.domainAndTerms' },
  adDescription: { kind: 'text', label: 'monitoring:filter.adDescription', group: 'monitoring:group.domainAndTerms' },
} satisfies Record<string, FilterDef<Key>>;

/** The last 7 whole days, ordered by a column, highest first. */
export const lastWeekBy = (order: string, now: Dayjs): ListSearch => ({
  page: FIRST_PAGE,
  perPage: 30,
  order,
  direction: 'DESC',
  filters: { date: { type: 'between', value: lastDays(7, now), preset: 'last7' } },
});

/**
 * Adds a filter on the default brand, if there is one, to an administrator's state that has no filter but the date; leaves any other as it
 * is. An administrator sees every brand, so without one the first visit would run the largest query there is. Rejects if the call fails.
 */
export async function withDefaultBrand(search: ListSearch, me: Me): Promise<ListSearch> {
  const onlyDates = Object.keys(search.filters).every((name) => name === 'date');
  if (!isAdmin(me) || !onlyDates) return search;
  const brand = await defaultBrand();
  if (!brand) return search;
  const brandID: Where = { type: 'inq', value: [brand.value], labels: [brand.label] };
  return { ...search, filters: { ...search.filters, brandID } };
}

/** Clears the region filter when one of its countries is no longer chosen. */
export function clearOrphanedRegions(previous: ListSearch, next: ListSearch): ListSearch {
  const before = chosenCountries(previous.filters);
  const after = chosenCountries(next.filters);
  if (!next.filters.region || before.every((country) => after.includes(country))) return next;
  const { region: _, ...filters } = next.filters;
  return { ...next, filters };
}
