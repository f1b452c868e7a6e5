import { queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';

/** The own sessions, the last used first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => answer(client.GET('/api/sessions', { signal })),
  staleTime: 0,
});

export type OwnSession = Awaited<ReturnType<NonNullable<(typeof sessionsQuery)['queryFn']>>>[number];

/** Ends one of them. */
export const endSession = (id: number): Promise<void> =>
  done(client.DELETE('/api/sessions/{id}', { params: { path: { id } } }));

/** Ends all of them but this one. */
export const endOtherSessions = (): Promise<void> => done(client.DELETE('/api/sessions'));

/** Keeps a picture of a user, and answers its id. */
export async function uploadAvatar(picture: Blob): Promise<string> {
  const { id } = await answer(
    client.POST('/api/Files/upload', {
      // The type describes the form; it is sent as one.
      body: { file: '' },
      bodySerializer: () => {
        const form = new FormData();
        form.append('file', picture, 'avatar.jpg');
        return form;
      },
    }),
  );
  return id;
}
