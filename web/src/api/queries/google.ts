import { queryOptions } from '@tanstack/react-query';
import type { ListSearch } from '~/lib/listSearch';
import { answer, client, done } from '../client';
import { listQueryString, readEnvelope } from '../listQuery';
import type { components } from '../schema';

type Schemas = components['schemas'];
type StoredItem = Schemas['GoogleConnectView'];
export type GoogleItem = Omit<StoredItem, 'ID'> & { id: string };
export type GoogleKeyword = Schemas['GoogleKeywordView'];
export type GoogleCustomer = Schemas['GoogleCustomerView'];
export type GoogleRetrieval = Schemas['GoogleRetrievalView'];
export type GoogleStatistic = Schemas['GoogleStatisticView'];
export type GoogleDay = Schemas['GoogleDayView'];

/** Rows of a page of the table. */
export const STATISTICS_PAGE = 30;
/** Retrievals under way are looked at again after this time. */
const PROGRESS_MS = 2_000;

export const googleKey = ['google'] as const;

const readItem = ({ ID, ...item }: StoredItem): GoogleItem => ({ ...item, id: String(ID) });

/** A page of linked accounts. */
export const googleItemsQuery = (search: ListSearch) => ({
  queryKey: [...googleKey, 'list', listQueryString(search)],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const found = await answer(client.GET('/api/google', { querySerializer: () => listQueryString(search), signal }));
    return { ...readEnvelope(found), rows: found.data.map(readItem) };
  },
});

/** One linked account. */
export const googleItemQuery = (id: number) =>
  queryOptions({
    queryKey: [...googleKey, 'item', id],
    queryFn: async ({ signal }) =>
      readItem((await answer(client.GET('/api/google/{id}', { params: { path: { id } }, signal }))).data),
  });

/** The manager accounts that are connected. */
export const googleGrantsQuery = queryOptions({
  queryKey: [...googleKey, 'grants'],
  queryFn: ({ signal }) => answer(client.GET('/api/google/grants', { signal })),
});

/** The operations of the last 24 hours. */
export const googleBudgetQuery = queryOptions({
  queryKey: [...googleKey, 'budget'],
  queryFn: ({ signal }) => answer(client.GET('/api/google/budget', { signal })),
});

/** The customers that can be linked. */
export const googleCustomersQuery = queryOptions({
  queryKey: [...googleKey, 'customers'],
  queryFn: async ({ signal }) => (await answer(client.GET('/api/google/customer/available', { signal }))).data,
});

/** Reads the customers again at Google. */
export const refreshCustomers = async (): Promise<GoogleCustomer[]> =>
  (await answer(client.POST('/api/google/customer/refresh'))).data;

/** The keywords of an account that are mapped, or could be. */
export const googleKeywordsQuery = (id: number, which: 'link' | 'linkable') =>
  queryOptions({
    queryKey: [...googleKey, 'keywords', which, id],
    queryFn: async ({ signal }) => {
      const params = { query: { customerConfigID: id } };
      const call =
        which === 'link'
          ? client.GET('/api/google/keyword/link', { params, signal })
          : client.GET('/api/google/keyword/linkable', { params, signal });
      return (await answer(call)).data;
    },
  });

/** The newest retrievals of an account; asked again while one waits or runs. */
export const googleRetrievalsQuery = (id: number) =>
  queryOptions({
    queryKey: [...googleKey, 'retrievals', id],
    queryFn: async ({ signal }) =>
      (await answer(client.GET('/api/google/{id}/retrievals', { params: { path: { id } }, signal }))).data,
    refetchInterval: ({ state }) => (state.data?.some(isUnderWay) ? PROGRESS_MS : false),
  });

/** Whether a retrieval waits or runs. */
export const isUnderWay = ({ state }: GoogleRetrieval): boolean => state === 'queued' || state === 'running';

/** Days, both included, and the keywords whose figures are wanted; none: all. */
export interface StatisticsFilter {
  startDate: string;
  endDate: string;
  keywords: readonly number[];
}

const filterQuery = ({ startDate, endDate, keywords }: StatisticsFilter, page?: number): string => {
  const query = new URLSearchParams({ startDate, endDate });
  for (const keyword of keywords) query.append('keywordID[]', String(keyword));
  if (page !== undefined) {
    query.append('page[size]', String(STATISTICS_PAGE));
    query.append('page[number]', String(page));
  }
  return query.toString();
};

/** A page of figures by day and keyword, newest first. */
export const googleStatisticsQuery = (id: number, filter: StatisticsFilter, page: number) =>
  queryOptions({
    queryKey: [...googleKey, 'statistics', id, filter, page],
    queryFn: async ({ signal }) => {
      const found = await answer(
        client.GET('/api/google/{id}/statistics', {
          params: { path: { id } },
          querySerializer: () => filterQuery(filter, page),
          signal,
        }),
      );
      return { rows: found.data, total: found.meta.page.total, exportCsv: found.links.exportCSV ?? undefined };
    },
    placeholderData: (previous) => previous,
  });

/** The figures by day, oldest first. */
export const googleDaysQuery = (id: number, filter: StatisticsFilter) =>
  queryOptions({
    queryKey: [...googleKey, 'days', id, filter],
    queryFn: async ({ signal }) =>
      (
        await answer(
          client.GET('/api/google/{id}/statistics/days', {
            params: { path: { id } },
            querySerializer: () => filterQuery(filter),
            signal,
          }),
        )
      ).data,
    placeholderData: (previous) => previous,
  });

/** What a retrieval would ask of Google. */
export const retrievalCostQuery = (id: number, { startDate, endDate, keywords }: StatisticsFilter) =>
  queryOptions({
    queryKey: [...googleKey, 'cost', id, startDate, endDate, keywords],
    queryFn: async ({ signal }) =>
      (
        await answer(
          client.POST('/api/google/{id}/retrievals/preview', {
            params: { path: { id } },
            body: { startDate, endDate, keywordIDs: [...keywords] },
            signal,
          }),
        )
      ).data,
    retry: false,
  });

export const retrieve = (id: number, { startDate, endDate, keywords }: StatisticsFilter): Promise<void> =>
  done(
    client.POST('/api/google/{id}/retrievals', {
      params: { path: { id } },
      body: { startDate, endDate, keywordIDs: [...keywords] },
    }),
  );

export const stopRetrievals = (id: number): Promise<void> =>
  done(client.DELETE('/api/google/{id}/retrievals', { params: { path: { id } } }));

export const linkCustomer = (body: Schemas['LinkCustomerBody']): Promise<void> =>
  done(client.POST('/api/google/customer', { body }));

export const mapKeywords = (id: number, keywords: readonly number[]): Promise<void> =>
  done(client.POST('/api/google/keyword/link', { body: { customerConfigID: id, keywordIDs: [...keywords] } }));

export const unmapKeyword = (id: number, keyword: number): Promise<void> =>
  done(client.DELETE('/api/google/keyword/link', { body: { customerConfigID: id, keywordID: keyword } }));

/** Deletes figures by their ids. */
export const purgeRows = (id: number, rows: readonly GoogleStatistic[]): Promise<void> => {
  const ids = (side: 'SEA' | 'SEO') => rows.flatMap((row) => row[side].ID ?? []);
  return done(
    client.DELETE('/api/google/keyword/stats', { body: { customerConfigID: id, SEA: ids('SEA'), SEO: ids('SEO') } }),
  );
};

export const purgeItem = (id: number): Promise<void> =>
  done(client.POST('/api/google/{id}/purge', { params: { path: { id } } }));

/** Makes a new invitation; its link is shown once. */
export const renewInvitation = async (id: number) =>
  (await answer(client.POST('/api/google/{id}/invitation', { params: { path: { id } } }))).data;

/** The page of Google on which a manager account is connected. */
export const connectManager = async (): Promise<string> => (await answer(client.POST('/api/google/grants'))).data.url;

export const disconnectManager = (id: number): Promise<void> =>
  done(client.DELETE('/api/google/grants/{id}', { params: { path: { id } } }));

/** What the holder of an invitation is asked for. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: [...googleKey, 'invitation', token],
    queryFn: async ({ signal }) =>
      (await answer(client.POST('/api/google/invitations/read', { body: { token }, signal }))).data,
    enabled: token !== '',
    retry: false,
  });

export const acceptInvitation = async (token: string): Promise<string> =>
  (await answer(client.POST('/api/google/invitations/accept', { body: { token } }))).data.url;

export const declineInvitation = (token: string): Promise<void> =>
  done(client.POST('/api/google/invitations/decline', { body: { token } }));
