import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { caseOrderQuery, caseQuery } from '~/api/queries/actions';
import { FIRST_PAGE, type ListSearch } from '~/lib/listSearch';
import type { OriginList } from '~/monitoring/cases/originList';

/** How long a neighbouring case that was loaded ahead counts as fresh. */
const AHEAD_MS = 30_000;

/** The state of the list that a case was opened from. */
const asListSearch = ({ page, perPage, order, direction, ...filters }: OriginList['search']): ListSearch => ({
  page: Number(page) || FIRST_PAGE,
  perPage: perPage as ListSearch['perPage'],
  order: String(order),
  direction: direction === 'DESC' ? 'DESC' : 'ASC',
  filters: filters as ListSearch['filters'],
});

/** Where a case is in the list that it was opened from. */
export interface Position {
  /** From 1, over all pages. */
  at: number;
  total: number;
  /** Open the neighbours, which lead back to the same list; undefined where there is none. */
  previous: (() => void) | undefined;
  next: (() => void) | undefined;
}

/** The position of a case in the list that it was opened from, as the list was then; undefined for a case that was opened by its address. */
export function usePosition(id: string): Position | undefined {
  const origin = useLocation({ select: ({ state }) => state.originList });
  const queries = useQueryClient();
  const router = useRouter();
  const search = asListSearch(origin?.search ?? {});
  const list = origin?.path === '/todo' ? 'todo' : 'actions';
  const { page, perPage } = search;
  const orderOf = (of: number, enabled: boolean) => ({
    ...caseOrderQuery(queries, list, { ...search, page: of }),
    enabled: origin !== undefined && enabled,
    retry: false,
  });
  const { data: order } = useQuery(orderOf(page, true));
  const index = order?.ids.indexOf(id) ?? -1;
  const before = perPage === 'all' ? 0 : (page - FIRST_PAGE) * Number(perPage);
  const isFirst = index === 0 && page > FIRST_PAGE;
  const isLast = order !== undefined && index === order.ids.length - 1 && before + order.ids.length < order.total;
  const { data: pageBefore } = useQuery(orderOf(page - 1, isFirst));
  const { data: pageAfter } = useQuery(orderOf(page + 1, isLast));
  const previous = isFirst ? pageBefore?.ids.at(-1) : order?.ids[index - 1];
  const next = isLast ? pageAfter?.ids[0] : order?.ids[index + 1];

  useEffect(() => {
    for (const one of [next, previous]) {
      if (index >= 0 && one !== undefined) void queries.prefetchQuery({ ...caseQuery(one), staleTime: AHEAD_MS });
    }
  }, [queries, index, next, previous]);

  if (!origin || !order || index < 0) return undefined;
  const open = (one: string | undefined, onPage: number) =>
    one === undefined
      ? undefined
      : () =>
          router.history.replace(`/action/${one}`, {
            originList: { ...origin, search: { ...origin.search, page: onPage } },
          });
  return {
    at: before + index + 1,
    total: Math.max(order.total, before + order.ids.length),
    previous: open(previous, isFirst ? page - 1 : page),
    next: open(next, isLast ? page + 1 : page),
  };
}
