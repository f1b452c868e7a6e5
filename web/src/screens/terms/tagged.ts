import { type TermRow, termsKey } from '~/api/queries/terms';
import type { Taggable } from '~/monitoring/tags/taggable';

export const taggedTerms: Taggable<TermRow> = {
  scope: 'term',
  listKey: termsKey,
  nameOf: ({ content }) => content,
  entitiesOf: async (rows) => new Map(rows.map(({ id, termId }) => [id, termId])),
};
