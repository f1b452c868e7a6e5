import { queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';

/** The user's sessions, last used first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => answer(client.GET('/api/sessions', { signal })),
  staleTime: 0,
});

export type OwnSession = Awaited<ReturnType<NonNullable<(typeof sessionsQuery)['queryFn']>>>[number];

/** Ends one session. */
export const endSession = (id: number): Promise<void> =>
  done(client.DELETE('/api/sessions/{id}', { params: { path: { id } } }));

/** Ends all sessions but this one. */
export const endOtherSessions = (): Promise<void> => done(client.DELETE('/api/sessions'));

/**
 * Uploads a picture, as `avatar.jpg`, and returns its file id. It is no avatar until an account is changed to it. Throws an `ApiError` when it is
 * refused.
 */
export async function uploadAvatar(picture: Blob): Promise<string> {
  const { id } = await answer(
    client.POST('/api/Files/upload', {
      // Only for the type: the serializer below builds the form.
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
