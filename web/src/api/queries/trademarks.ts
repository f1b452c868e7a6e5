import { queryOptions } from '@tanstack/react-query';
import { answer, client, done } from '../client';
import type { components } from '../schema';

export type Trademark = components['schemas']['TrademarkView'];
export type TrademarkBody = components['schemas']['TrademarkBody'];

/** The registered marks of a brand, ordered by name. */
export const trademarksQuery = (brandId: number) =>
  queryOptions({
    queryKey: ['trademarks', brandId],
    queryFn: async ({ signal }): Promise<Trademark[]> =>
      (await answer(client.GET('/api/Brands/{id}/trademarks', { params: { path: { id: brandId } }, signal }))).data,
  });

/** Enters a registered mark of a brand. */
export const addTrademark = (brandId: number, body: TrademarkBody): Promise<Trademark> =>
  answer(client.POST('/api/Brands/{id}/trademarks', { params: { path: { id: brandId } }, body }));

/** Changes a registered mark; refused if somebody else changed it since it was read. */
export const changeTrademark = (brandId: number, trademark: Trademark, body: TrademarkBody): Promise<Trademark> =>
  answer(
    client.PUT('/api/Brands/{id}/trademarks/{trademark}', {
      params: { path: { id: brandId, trademark: trademark.id } },
      body: { ...body, version: trademark.version },
    }),
  );

/** Takes a registered mark away from a brand. */
export const removeTrademark = (brandId: number, trademark: Trademark): Promise<void> =>
  done(
    client.DELETE('/api/Brands/{id}/trademarks/{trademark}', {
      params: { path: { id: brandId, trademark: trademark.id } },
    }),
  );

/** Uploads the proof that somebody acts for the owner of a mark, and returns its file id. Throws an `ApiError` when it is refused. */
export async function uploadAuthorisation(file: File): Promise<string> {
  const { id } = await answer(
    client.POST('/api/Files/upload', {
      params: { query: { use: 'attachment' } },
      // Only for the type: the serializer below builds the form.
      body: { file: '' },
      bodySerializer: () => {
        const form = new FormData();
        form.append('file', file, file.name);
        return form;
      },
    }),
  );
  return id;
}
