import { queryOptions } from '@tanstack/react-query';
import { answer, client } from '../client';

/** What the provider of OpenID Connect is called, if users may sign in with one. */
export const providerQuery = queryOptions({
  queryKey: ['sign-in-provider'],
  queryFn: ({ signal }) => answer(client.GET('/api/sign-in/provider', { signal })),
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** The address that leads the browser to the provider, and back to `redirect`, a path of this site. */
export const wayToProvider = (redirect: string): string =>
  `/api/sign-in/provider/start?${new URLSearchParams({ redirect })}`;
