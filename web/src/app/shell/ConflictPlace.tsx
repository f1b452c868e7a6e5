import { useSyncExternalStore } from 'react';
import { openConflict } from '~/ui/conflict';
import { lazyPart } from '~/ui/lazyPart';

const ConflictModal = lazyPart(() =>
  import('~/monitoring/history/ConflictModal').then((module) => module.ConflictModal),
);

/** The question whether to overwrite what somebody else did, above whatever asked it. */
export function ConflictPlace() {
  const conflict = useSyncExternalStore(openConflict.subscribe, openConflict.get);
  return conflict && <ConflictModal key={conflict.changed.asOf} conflict={conflict} />;
}
