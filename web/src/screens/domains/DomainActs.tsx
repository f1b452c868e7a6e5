import type { DomainRow } from '~/api/queries/domains';
import { BulkTags } from '~/monitoring/tags/EditableTags';
import { CopyDomains } from './CopyDomains';
import { taggedDomains } from './tagged';

/** What can be done with all selected domains at once. */
export function DomainActs({ rows, onDone }: { rows: readonly DomainRow[]; onDone(): void }) {
  return (
    <>
      <CopyDomains rows={rows} />
      <BulkTags rows={rows} taggable={taggedDomains} onDone={onDone} />
    </>
  );
}
