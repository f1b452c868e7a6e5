import { answer, client } from '../client';
import type { components } from '../schema';

/** What an import does, as a whole and line by line. */
export type ImportPlan = components['schemas']['ImportPlanView'];
export type ImportLine = components['schemas']['ImportLineView'];

/** The most the server takes. */
export const MOST_IMPORT_BYTES = 8 << 20;

/** The link of a file with the columns of an import and no lines. */
export const EMPTY_IMPORT = `/api/Terms/export?${new URLSearchParams({ filter: JSON.stringify({ where: { id: 0 } }) })}`;

/** What the import of a file would do. */
export const checkImport = (file: File): Promise<ImportPlan> => send(file, {});

/** Does what a plan of the same file said, all of it; a failure with status 409 when that no longer holds. */
export const applyImport = (file: File, { token }: ImportPlan): Promise<ImportPlan> => send(file, { token });

async function send(file: File, query: { token?: string }): Promise<ImportPlan> {
  const { data } = await answer(
    client.POST('/api/Terms/import', {
      params: { query },
      // Only for the type: the serializer below builds the form.
      body: { file: '' },
      bodySerializer: () => {
        const form = new FormData();
        form.append('file', file, file.name);
        return form;
      },
    }),
  );
  return data;
}
