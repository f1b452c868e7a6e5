import type { AdvertiserRow } from '~/api/queries/advertisers';
import { BulkTags } from '~/monitoring/tags/EditableTags';
import { GroupActs } from './GroupActs';
import { taggedAdvertisers } from './tagged';

/** What can be done with all selected advertisers at once. */
export function AdvertiserActs({ rows, onDone }: { rows: readonly AdvertiserRow[]; onDone(): void }) {
  return (
    <>
      <GroupActs rows={rows} onDone={onDone} />
      <BulkTags rows={rows} taggable={taggedAdvertisers} onDone={onDone} />
    </>
  );
}
