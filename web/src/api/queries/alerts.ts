import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';
import { ApiError } from '../errors';
import type { components } from '../schema';

export type Alert = components['schemas']['AlertView'];
export type AlertBody = components['schemas']['AlertBody'];
export type AlertRecipient = components['schemas']['RecipientView'];
export type ScheduleBody = components['schemas']['ScheduleBody'];

/** The prefix of every query of alerts. */
export const alertsKey = ['alerts'] as const;

/** The alerts that the reader may change, the newest first, and the time zone of their schedules. */
export const alertsQuery = queryOptions({
  queryKey: [...alertsKey, 'list'],
  queryFn: ({ signal }) => answer(client.GET('/api/alerts', { signal })),
});

/** The users whom an alert of a brand can go to. */
export const recipientsQuery = (brandId: number) =>
  queryOptions({
    queryKey: [...alertsKey, 'recipients', brandId],
    queryFn: async ({ signal }): Promise<AlertRecipient[]> =>
      (await answer(client.GET('/api/alerts/recipients', { params: { query: { brandID: brandId } }, signal }))).data,
  });

/** A text that alerts can have in place of that of the product. */
export type AlertText = components['schemas']['AlertTextView'];
export type AlertTextBody = components['schemas']['AlertTextBody'];
export type AlertTextTrial = components['schemas']['AlertTextTrial'];

/** The texts that alerts of a brand can have, or with null those of all brands in sight. */
export const alertTextsQuery = (brandId: number | null) =>
  queryOptions({
    queryKey: [...alertsKey, 'texts', brandId],
    queryFn: async ({ signal }): Promise<AlertText[]> => {
      const query = brandId === null ? {} : { brandID: brandId };
      return (await answer(client.GET('/api/alerts/texts', { params: { query }, signal }))).data;
    },
  });

/** Adds a text, or with an id makes its next version. */
export const saveAlertText = async (id: number | undefined, body: AlertTextBody): Promise<AlertText> => {
  const saving =
    id === undefined
      ? client.POST('/api/alerts/texts', { body })
      : client.PUT('/api/alerts/texts/{id}', { params: { path: { id } }, body });
  return (await answer<{ data: AlertText }>(saving)).data;
};

/** Puts a text away: its alerts have that of the product. */
export const removeAlertText = (id: number): Promise<void> =>
  done(client.DELETE('/api/alerts/texts/{id}', { params: { path: { id } } }));

/** What a text would say now. */
export const alertTextPreviewQuery = (body: AlertTextTrial) =>
  queryOptions({
    queryKey: [...alertsKey, 'textPreview', body],
    queryFn: async ({ signal }) => (await answer(client.POST('/api/alerts/texts/preview', { body, signal }))).data,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** The next times of a schedule; those of the one before stay until they are there. */
export const scheduleQuery = (body: ScheduleBody) =>
  queryOptions({
    queryKey: [...alertsKey, 'schedule', body],
    queryFn: ({ signal }) => answer(client.POST('/api/alerts/schedule', { body, signal })),
    placeholderData: keepPreviousData,
    retry: false,
  });

/** What the mail of an alert would say now. */
export const alertPreviewQuery = (body: AlertBody) =>
  queryOptions({
    queryKey: [...alertsKey, 'preview', body],
    queryFn: async ({ signal }) => (await answer(client.POST('/api/alerts/preview', { body, signal }))).data,
    placeholderData: keepPreviousData,
    retry: false,
  });

/** Sends the mail of an alert to the caller alone. */
export const sendTestAlert = (body: AlertBody): Promise<void> => done(client.POST('/api/alerts/test', { body }));

/** Makes an alert, or with an id replaces what that one says. */
export const saveAlert = async (id: number | undefined, body: AlertBody): Promise<Alert> => {
  const saving =
    id === undefined
      ? client.POST('/api/alerts', { body })
      : client.PUT('/api/alerts/{id}', { params: { path: { id } }, body });
  return (await answer<{ data: Alert }>(saving)).data;
};

export const removeAlert = (id: number): Promise<void> =>
  done(client.DELETE('/api/alerts/{id}', { params: { path: { id } } }));

/** A stored alert as it is sent to be stored again. */
export const bodyOfAlert = ({
  id: _id,
  brand: _brand,
  nextSend: _next,
  lastSend: _last,
  owner: _owner,
  ...body
}: Alert): AlertBody => body;

/** A refusal whose fields say `words` in place of the server's. Other failures stay as they are. */
export function inOtherWords(error: unknown, words: (field: string) => string): unknown {
  if (!(error instanceof ApiError)) return error;
  const fields = Object.fromEntries(Object.keys(error.fields).map((field) => [field, [words(field)]]));
  return new ApiError(error.status, error.code, error.message, fields, error.retryAfter);
}
