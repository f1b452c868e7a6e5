import { queryOptions, skipToken } from '@tanstack/react-query';
import { answer, client } from '../client';
import type { components } from '../schema';

/** Somebody else on the page of a case. */
export type PresentPerson = components['schemas']['PresentPersonView'];
export type Present = components['schemas']['PresentView'];

/** What a page of a case says of its reader. */
export type Doing = components['schemas']['Doing'];

/** Says what the reader does on a page of a case, and resolves with the others there. */
export const tellPresence = async (caseId: string, page: string, doing: Doing): Promise<Present> => {
  const call = client.POST('/api/actions/presence', {
    params: { query: { actionID: Number(caseId) } },
    body: { page, doing },
    // A page that is left is gone before the answer.
    keepalive: doing === 'leaves',
  });
  return (await answer(call)).data;
};

/** The people on the pages of cases, by the id of the case. */
export type PeopleByCase = ReadonlyMap<string, readonly PresentPerson[]>;

/** Where the people on the cases of the list in sight are kept: the list asks for all of them at once, and each card shows its own. */
export const listPeopleKey = ['presence', 'list'] as const;

/** Asks again for the people on cases after this time; as often as pages say that they are there. */
const ASKED_EVERY_MS = 20_000;

/** The others on the pages of the cases of a list. */
export const listPeopleQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['presence', 'of', ids.join()],
    queryFn: async ({ signal, client: queries }): Promise<PeopleByCase> => {
      const query = { actionID: ids.map(Number) };
      const { data } = await answer(client.GET('/api/actions/presence', { params: { query }, signal }));
      const people: PeopleByCase = new Map(data.map((one) => [String(one.ID), one.people]));
      queries.setQueryData(listPeopleKey, people);
      return people;
    },
    enabled: ids.length > 0,
    refetchInterval: ASKED_EVERY_MS,
    gcTime: 0,
  });

/** The others on the page of one case of the list in sight. */
export const cardPeopleQuery = (id: string) =>
  queryOptions({
    queryKey: listPeopleKey,
    queryFn: skipToken,
    select: (people: PeopleByCase) => people.get(id),
  });
