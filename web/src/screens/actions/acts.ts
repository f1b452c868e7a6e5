import { IconArrowBackUp, IconEye, IconEyeOff, IconInbox } from '@tabler/icons-react';
import { type CaseRow, casesKey } from '~/api/queries/actions';
import type { Taggable } from '~/monitoring/tags/taggable';

/** The changes that a list offers, in order. */
export const ACTS = [
  { act: 'request', Icon: IconInbox },
  { act: 'ignore', Icon: IconEyeOff },
  { act: 'cancelRequest', Icon: IconArrowBackUp },
  { act: 'unignore', Icon: IconEye },
] as const;

/** The tags of a case are linked to its dealer, which several cases can share. */
export const taggableCases: Taggable<CaseRow> = {
  scope: 'tag',
  listKey: casesKey,
  nameOf: ({ domain }) => domain,
  brandOf: ({ brandId, brand }) => (brandId && brand ? { value: brandId, label: brand } : null),
  entitiesOf: async (rows) => new Map(rows.flatMap(({ id, dealer }) => (dealer ? [[id, dealer.id] as const] : []))),
};
