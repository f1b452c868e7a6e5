import { queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';
import type { components } from '../schema';
import { operationsKey } from './operations';

/** The letters of a run are written for each answer. */
const REFRESH_MS = 60_000;

export type RunLine = components['schemas']['LineView'];
export type MailStop = components['schemas']['MailStopView'];
export type MailStopBody = components['schemas']['MailStopBody'];

/** What the next run of reminders does with each case, and the notifications that wait to be written. */
export const outreachTodayQuery = queryOptions({
  queryKey: [...operationsKey, 'outreachToday'],
  queryFn: async ({ signal }) => (await answer(client.GET('/api/actions/outreach/today', { signal }))).data,
  refetchInterval: REFRESH_MS,
});

/** Strikes a case out of the next run, or takes that back. */
export const strikeCase = (actionID: number, struck: boolean): Promise<void> =>
  done(client.POST('/api/actions/outreach/today', { body: struck ? { strike: [actionID] } : { restore: [actionID] } }));

/** The stops of mails to advertisers that have not ended, the newest first. */
export const mailStopsQuery = queryOptions({
  queryKey: [...operationsKey, 'mailStops'],
  queryFn: async ({ signal }): Promise<MailStop[]> => (await answer(client.GET('/api/mailStops', { signal }))).data,
  refetchInterval: REFRESH_MS,
});

/** Stops mails to advertisers. */
export const addMailStop = async (body: MailStopBody): Promise<void> => {
  await answer(client.POST('/api/mailStops', { body }));
};

/** Ends a stop. */
export const liftMailStop = (id: number): Promise<void> =>
  done(client.DELETE('/api/mailStops/{id}', { params: { path: { id } } }));
