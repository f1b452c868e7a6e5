import { queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';

/** What is sent to webhooks, as the server names it. */
export const WEBHOOK_EVENTS = {
  new: 'advertiser.new',
  relapsed: 'advertiser.relapsed',
  changed: 'case.changed',
} as const;
export type WebhookEvent = keyof typeof WEBHOOK_EVENTS;

/** The user's webhooks, the newest first. */
export const webhooksQuery = queryOptions({
  queryKey: ['webhooks'],
  queryFn: ({ signal }) => answer(client.GET('/api/webhooks', { signal })),
  staleTime: 0,
});

export type Webhook = Awaited<ReturnType<NonNullable<(typeof webhooksQuery)['queryFn']>>>[number];

const path = (id: number) => ({ params: { path: { id } } });

/** Makes a webhook for a brand, or for all of the user; resolves with its secret, which is answered this once. */
export async function makeWebhook(
  url: string,
  events: readonly WebhookEvent[],
  brandId: number | null,
): Promise<string> {
  const body = { url, events: events.map((event) => WEBHOOK_EVENTS[event]), brandId };
  return (await answer(client.POST('/api/webhooks', { body }))).secret;
}

/** Stops a webhook, or lets it go on. */
export async function switchWebhook({ id, url, events, brandId }: Webhook, enabled: boolean): Promise<void> {
  const body = { url, events, brandId: brandId ?? null, enabled };
  await answer(client.PUT('/api/webhooks/{id}', { ...path(id), body }));
}

/** Gives a webhook another secret, which is answered this once. */
export async function changeSecret(id: number): Promise<string> {
  return (await answer(client.POST('/api/webhooks/{id}/secret', path(id)))).secret;
}

/** Deletes a webhook with its log. */
export const removeWebhook = (id: number): Promise<void> => done(client.DELETE('/api/webhooks/{id}', path(id)));

/** Sends a test message. */
export const testWebhook = (id: number): Promise<void> => done(client.POST('/api/webhooks/{id}/test', path(id)));

/** How often an open log looks for news, in milliseconds. */
const LOG_INTERVAL = 2_000;

/** The latest messages to a webhook, the newest first. */
export const webhookLogQuery = (id: number) =>
  queryOptions({
    queryKey: [...webhooksQuery.queryKey, id, 'log'],
    queryFn: ({ signal }) => answer(client.GET('/api/webhooks/{id}/deliveries', { ...path(id), signal })),
    refetchInterval: LOG_INTERVAL,
    staleTime: 0,
  });

export type WebhookMessage = Awaited<ReturnType<NonNullable<ReturnType<typeof webhookLogQuery>['queryFn']>>>[number];

/** Sends a message again that was taken or given up. */
export const sendAgain = (id: number, delivery: number): Promise<void> =>
  done(client.POST('/api/webhooks/{id}/deliveries/{delivery}', { params: { path: { id, delivery } } }));
