import type { Contact } from '~/api/queries/caseMails';

/** Whether a contact can be written to. */
export const isReachable = ({ state, suppressed }: Contact): boolean => state === 'active' && suppressed === null;

/** What is wrong with a contact, for its chip; undefined for one that can be written to. */
export type Flaw = 'bounced' | 'unreachable' | 'inactive' | 'suppressed';

export const flawOf = ({ state, suppressed }: Contact): Flaw | undefined => {
  if (state !== 'active') return state;
  return suppressed === null ? undefined : 'suppressed';
};

/** How many contacts can be written to, and how many bounced. */
export function countContacts(contacts: readonly Contact[]): { active: number; bounced: number } {
  return {
    active: contacts.filter(isReachable).length,
    bounced: contacts.filter(({ state }) => state === 'bounced').length,
  };
}
