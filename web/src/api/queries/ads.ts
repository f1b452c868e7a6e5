import { queryOptions } from '@tanstack/react-query';
import type { ListSearch, Where } from '~/lib/listSearch';
import { answer, client } from '../client';
import { whereClause } from '../listQuery';
import type { paths } from '../schema';

export type Ad = paths['/api/advertisement']['get']['responses'][200]['content']['application/json'][number];

export type Hour =
  paths['/api/advertisement/hours']['get']['responses'][200]['content']['application/json']['data'][number];

/** Query pairs of an ad search. */
export type AdSearch = readonly (readonly [string, string])[];

/** Ads shown under a row. */
const LIMIT = 50;

/** List filters by their name in the ad search; others do not apply to ads. */
const NAMES: Readonly<Record<string, string>> = {
  brandID: 'brandId',
  engine: 'engine',
  country: 'country',
  region: 'region',
  device: 'device',
  type: 'type',
  keywordType: 'keywordType',
  keywordContent: 'keywordContent',
  keywordTag: 'keywordTag',
  adTitle: 'title',
  adDescription: 'description',
  position: 'position',
};

/**
 * The query pairs of the ads of one domain or term under the filters of its list: `domain` or `termId`, `fromDate` and `endDate` of the filter
 * `dates`, and the filters in `names`, which has their names in the ad search. Other filters are left out.
 */
export function adSearch(
  of: { domain: string } | { termId: number },
  filters: ListSearch['filters'],
  names = NAMES,
  dates = 'date',
): AdSearch {
  const pairs: [string, string][] = Object.entries(of).map(([key, value]) => [key, String(value)]);
  const when = filters[dates];
  if (when?.type === 'between') {
    pairs.push(['fromDate', String(when.value.start)], ['endDate', String(when.value.end)]);
  }
  for (const [filter, name] of Object.entries(names)) {
    const where = filters[filter];
    if (where) pairs.push(...adPairs(name, where));
  }
  return pairs;
}

/** Query pairs of one filter, without the operators that the ad search implies. */
function adPairs(name: string, where: Where): [string, string][] {
  return whereClause(name, where).map(([key, value]) => [
    key.replace(`filters[${name}]`, name).replace('[inq][]', '').replace('[between]', ''),
    value,
  ]);
}

/** One hour of the week, in the browser's time zone. */
export interface HourOfWeek {
  /** 1 for Monday to 7 for Sunday. */
  weekday: number;
  hour: number;
}

const adQuery = (search: AdSearch, hour: HourOfWeek | undefined, more: AdSearch = []): string => {
  const pairs = hour
    ? [
        ['weekday', String(hour.weekday)],
        ['hour', String(hour.hour)],
        ['timeZone', timeZone()],
      ]
    : [];
  return new URLSearchParams([...search, ...pairs, ...more].map(([key = '', value = '']) => [key, value])).toString();
};

/** The name of the time zone of this browser. */
export const timeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The most viewed ads of a search. */
export const adsQuery = (search: AdSearch, hour?: HourOfWeek) => {
  const query = adQuery(search, hour, [['limit', String(LIMIT)]]);
  return queryOptions({
    queryKey: ['ads', query],
    queryFn: ({ signal }) => answer(client.GET('/api/advertisement', { querySerializer: () => query, signal })),
  });
};

/** The number of all ads of a search, and their export link. */
export const adCountQuery = (search: AdSearch, hour?: HourOfWeek) => {
  const query = adQuery(search, hour);
  return queryOptions({
    queryKey: ['ads', 'count', query],
    queryFn: ({ signal }) => answer(client.GET('/api/advertisement/count', { querySerializer: () => query, signal })),
  });
};

/** The ads of a search by hour of the week, in the browser's time zone. */
export const hoursQuery = (search: AdSearch) => {
  const query = adQuery(search, undefined, [['timeZone', timeZone()]]);
  return queryOptions({
    queryKey: ['ads', 'hours', query],
    queryFn: async ({ signal }) => {
      const { data } = await answer(client.GET('/api/advertisement/hours', { querySerializer: () => query, signal }));
      return data;
    },
  });
};
