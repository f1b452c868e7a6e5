import { answer, client } from '../client';

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
