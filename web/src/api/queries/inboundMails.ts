import { queryOptions } from '@tanstack/react-query';
import { FIRST_PAGE } from '~/lib/listSearch';
import { actionQueryString } from '../actionQuery';
import { answer, client, done } from '../client';
import type { components } from '../schema';

/** How often the list is read again while it is in sight, and the count beside the menu. */
const REFRESH_MS = 30_000;
const COUNT_MS = 120_000;
/** Cases that a search finds. */
const MOST_CASES = 20;

export type InboundMail = components['schemas']['InboundMailView'];
export type Verdict = 'unmatched' | 'unreadable';

const inboundKey = ['inboundMails'] as const;

/** The prefix of the lists and of their count. */
export const inboundMailsKey = inboundKey;

/** The newest mails without a case, or those that could not be read, and how many have no case in all. */
export const inboundMailsQuery = (verdict: Verdict) =>
  queryOptions({
    queryKey: [...inboundKey, 'list', verdict],
    queryFn: ({ signal }) => answer(client.GET('/api/inboundMails', { params: { query: { verdict } }, signal })),
    refetchInterval: REFRESH_MS,
  });

/** How many mails have no case. */
export const unmatchedCountQuery = queryOptions({
  queryKey: [...inboundKey, 'count'],
  queryFn: async ({ signal }) =>
    (await answer(client.GET('/api/inboundMails', { params: { query: { limit: 0 } }, signal }))).unmatched,
  refetchInterval: COUNT_MS,
  staleTime: REFRESH_MS,
});

/** What a mail says. */
export const inboundTextQuery = (id: number) =>
  queryOptions({
    queryKey: ['inboundText', id],
    queryFn: async ({ signal }) =>
      (await answer(client.GET('/api/inboundMails/{id}', { params: { path: { id } }, signal }))).data,
  });

/** Files a mail in a case. */
export const attachMail = async (id: number, actionID: number): Promise<void> => {
  await answer(client.POST('/api/inboundMails/{id}/attach', { params: { path: { id } }, body: { actionID } }));
};

/** Takes a mail back that was filed a few seconds ago; throws an `ApiError` with the code `MAIL_SETTLED` when it is in the case by now. */
export const detachMail = (id: number): Promise<void> =>
  done(client.DELETE('/api/inboundMails/{id}/attach', { params: { path: { id } } }));

/** Puts a mail away, or brings it back. */
export const discardMail = (id: number, discarded: boolean): Promise<void> =>
  done(client.POST('/api/inboundMails/{id}/discard', { params: { path: { id } }, body: { discarded } }));

/** The cases whose domain holds a text, the last seen first. */
export async function findCases(text: string, signal: AbortSignal) {
  const query = actionQueryString({
    page: FIRST_PAGE,
    perPage: MOST_CASES,
    order: 'lastView',
    direction: 'DESC',
    filters: text === '' ? {} : { domain: { type: 'contain', value: text } },
  });
  return (await answer(client.GET('/api/actions', { querySerializer: () => query, signal }))).data;
}
