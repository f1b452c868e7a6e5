import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ListSearch } from '~/lib/listSearch';
import { answer, client } from '../client';
import { filterPairs } from '../listQuery';
import type { components } from '../schema';
import { timeZone } from './ads';

/** A product that others offer below the brand's own price. */
export type ComparedProduct = components['schemas']['ProductView'];
export type ComparedOffer = ComparedProduct['offers'][number];

/** Products a page. */
export const PRODUCTS_SHOWN = 20;

/** A page of the products that were offered below the brand's own price under the filters of a list of ads, the widest gap first. */
export const productsQuery = (filters: ListSearch['filters'], page: number) => {
  const pairs = [
    ['timeZone', timeZone()],
    ['page[number]', String(page)],
    ['page[size]', String(PRODUCTS_SHOWN)],
    ...filterPairs(filters),
  ];
  const query = new URLSearchParams(pairs).toString();
  return queryOptions({
    queryKey: ['comparator', query],
    queryFn: ({ signal }) => answer(client.GET('/api/comparator', { querySerializer: () => query, signal })),
    placeholderData: keepPreviousData,
  });
};
