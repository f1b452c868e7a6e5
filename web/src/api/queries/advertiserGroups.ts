import { queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';
import type { components } from '../schema';

/** The domains of one advertiser, and those that may belong to them. */
export type AdvertiserGroup = components['schemas']['GroupView'];
export type GroupDomain = AdvertiserGroup['data']['domains'][number];
export type GroupLink = AdvertiserGroup['data']['links'][number];
export type LinkEvidence = GroupLink['evidence'][number];

/** What a person says of two domains; null takes back what was said. */
export type LinkVerdict = 'same' | 'different' | null;

/** The group of a host's registrable domain. */
export const groupQuery = (domain: string) =>
  queryOptions({
    queryKey: ['advertiserGroup', domain],
    queryFn: ({ signal }) =>
      answer(client.GET('/api/advertiserGroups/{domain}', { params: { path: { domain } }, signal })),
    retry: false,
  });

/** Says whether one advertiser is behind two domains, or takes back what was said. */
export const decideLink = ({ one, other, verdict }: { one: string; other: string; verdict: LinkVerdict }) =>
  done(client.POST('/api/advertiserGroups/decide', { body: { one, other, verdict } }));
