import type { AdvertiserGroup, GroupLink } from '~/api/queries/advertiserGroups';

/** The key of a link among those of its group. */
export const linkKey = ({ one, other }: Pick<GroupLink, 'one' | 'other'>): string => `${one} ${other}`;

/** The domain of a suggested link that is no member yet. */
export function candidateOf(link: GroupLink, { domains }: AdvertiserGroup['data']): string {
  const isMember = domains.some(({ domain, member }) => member && domain === link.one);
  return isMember ? link.other : link.one;
}
