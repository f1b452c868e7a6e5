import { type CaseRow, casesKey } from '~/api/queries/actions';
import type { Taggable } from '../tags/taggable';

/** The tags of a case are linked to its dealer, which several cases can share. */
export const taggableCases: Taggable<CaseRow> = {
  scope: 'tag',
  listKey: casesKey,
  nameOf: ({ domain }) => domain,
  brandOf: ({ brandId, brand }) => (brandId && brand ? { value: brandId, label: brand } : null),
  entitiesOf: async (rows) => new Map(rows.flatMap(({ id, dealer }) => (dealer ? [[id, dealer.id] as const] : []))),
};
