import type { ParseKeys } from 'i18next';
import { regionsOf, searchBrands, searchDomains, searchKeywords, searchTags } from '~/api/queries/choices';
import { isStaff, type Me } from '~/api/session';
import { currentLanguage } from '~/i18n';
import type { DatePreset } from '~/lib/dates';
import { formatsOf } from '~/lib/formats';
import type { FilterDef, Filters, Where } from '~/list/types';

type Key = ParseKeys<['monitoring', 'market']>;

/** The spans of time that every list of ads offers. */
export const PRESETS: readonly DatePreset[] = [
  'today',
  'yesterday',
  'last7',
  'last30',
  'last60',
  'thisMonth',
  'lastMonth',
];

/** The countries a list is limited to; none where they are only excluded. */
export const chosenCountries = ({ country }: Filters): string[] =>
  country?.type === 'inq' ? country.value.map(String) : [];

export const countryFilter = {
  kind: 'countries',
  label: 'monitoring:filter.country',
  group: 'monitoring:group.generic',
  quick: true,
  exclude: true,
} satisfies FilterDef<Key>;

/** The column of brands, where every row that a reader can see under the filters is of one and the same. */
export const oneBrand = (brand: Where | undefined, me: Me): readonly string[] => {
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

/** What was seen, by when, where and on what it was seen: the filters that Domains and Terms share. */
export const seenFilters = {
  date: {
    kind: 'dateRange',
    label: 'monitoring:filter.date',
    group: 'monitoring:group.lastDetection',
    quick: true,
    presets: PRESETS,
  },
  brandID: {
    kind: 'asyncChoice',
    label: 'monitoring:filter.brand',
    group: 'monitoring:group.generic',
    quick: true,
    search: searchBrands,
    exclude: true,
  },
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
    options: [
      { value: 'google', label: 'market:engine.google' },
      { value: 'bing', label: 'market:engine.bing' },
    ],
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

/** What the text of an ad says. */
export const textFilters = {
  adTitle: { kind: 'text', label: 'monitoring:filter.adTitle', group: 'monitoring:group.domainAndTerms' },
  adDescription: { kind: 'text', label: 'monitoring:filter.adDescription', group: 'monitoring:group.domainAndTerms' },
} satisfies Record<string, FilterDef<Key>>;
