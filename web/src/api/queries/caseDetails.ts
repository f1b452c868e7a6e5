import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { follow, type ServerLink } from '../links';
import type { components } from '../schema';
import type { CaseRow } from './actions';
import type { Ad } from './ads';

/** A note about a case or its advertiser. */
export type CaseNote = components['schemas']['NoteView'];

/** What notes are about, with the links of a case that read and write them. */
export const NOTE_SUBJECTS = [
  { subject: 'action', get: 'getNotes', add: 'addNote' },
  { subject: 'advertiser', get: 'advertiserGetNotes', add: 'advertiserAddNote' },
  { subject: 'crossCountries', get: 'brandAdvertiserGetNotes', add: 'brandAdvertiserAddNote' },
] as const;

const notesKey = (get: ServerLink) => ['actions', 'notes', get.href] as const;

/** The notes behind a link, the oldest first. */
export const caseNotesQuery = (get: ServerLink) =>
  queryOptions({
    queryKey: notesKey(get),
    staleTime: 0,
    queryFn: async ({ signal }) => ((await follow(get, { signal })) as components['schemas']['NotesView']).data,
  });

/** Writes a note and loads those of its subject again; throws, and loads nothing, when it is not written. */
export async function addCaseNote(
  queries: QueryClient,
  links: { get: ServerLink; add: ServerLink },
  message: string,
): Promise<void> {
  await follow(links.add, { body: { message } });
  await queries.invalidateQueries({ queryKey: notesKey(links.get) });
}

/** The tags of a case. */
export const caseTagsQuery = ({ id, links }: Pick<CaseRow, 'id' | 'links'>) =>
  queryOptions({
    queryKey: ['actions', 'tags', id],
    enabled: links.getTags !== undefined,
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const get = links.getTags as ServerLink;
      const tags = (await follow(get, { signal })) as components['schemas']['ActionTagView'][];
      return tags.map(({ ID, label }) => ({ id: ID, label }));
    },
  });

/** The kinds of ads. */
export const AD_KINDS = ['ads', 'shopping'] as const;

export type AdKind = (typeof AD_KINDS)[number];

/** Ads of each kind that a case shows. */
const MOST_ADS = '5';

/** A link with these query parameters in place of its own. */
function withParameters({ method, href }: ServerLink, parameters: Readonly<Record<string, string>>): ServerLink {
  const url = new URL(href, window.location.origin);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { method, href: url.pathname + url.search };
}

/** The most viewed ads of a case, of one kind. */
export const caseAdsQuery = (get: ServerLink, type: AdKind) => {
  const link = withParameters(get, { type, limit: MOST_ADS });
  return queryOptions({
    queryKey: ['actions', 'ads', link.href],
    queryFn: async ({ signal }) => (await follow(link, { signal })) as Ad[],
  });
};

/** How many ads of each kind a case has. */
export const caseAdCountQuery = (count: ServerLink) =>
  queryOptions({
    queryKey: ['actions', 'adCount', count.href],
    queryFn: async ({ signal }): Promise<Readonly<Record<AdKind, number>>> => {
      const found = (await follow(count, { signal })) as components['schemas']['AdvertisementCountView'];
      return { ads: found.countAdvertisement, shopping: found.countShopping };
    },
  });

/** Everybody who can be given a case, with the number of their open cases, and the cases of nobody. */
export const workloadQuery = queryOptions({
  queryKey: ['actions', 'workload'],
  staleTime: 0,
  queryFn: async ({ signal }) => {
    const loads = await follow({ method: 'GET', href: '/api/actions/workload' }, { signal });
    return (loads as components['schemas']['WorkloadsView']).data;
  },
});
