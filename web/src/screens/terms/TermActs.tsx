import type { TermRow } from '~/api/queries/terms';
import { BulkTags } from '~/monitoring/tags/EditableTags';
import { taggedTerms } from './tagged';

/** What can be done with all selected terms at once. */
export function TermActs({ rows, onDone }: { rows: readonly TermRow[]; onDone(): void }) {
  return <BulkTags rows={rows} taggable={taggedTerms} onDone={onDone} />;
}
