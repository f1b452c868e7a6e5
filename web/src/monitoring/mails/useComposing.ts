import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState } from 'react';
import { type CaseMails, caseMailsQuery, type Draft } from '~/api/queries/caseMails';
import type { Writing } from './composer/localDraft';
import { lastOf } from './thread';

/** A mail being written. */
export interface Composing {
  /** Another number is another mail. */
  number: number;
  /** The own draft when it was begun. */
  stored: Draft | null;
  fresh: Writing;
  /** The last mail that was there when it was begun. */
  seen: number | null;
  /** Begins with `fresh` although there is a draft. */
  instead: boolean;
}

/** The mail that is being written in a case, if any. `begin` makes what it begins with of the mails as they are known by then. */
export function useComposing(caseId: string) {
  const queries = useQueryClient();
  const [composing, setComposing] = useState<Composing>();
  const compose = useCallback(
    (begin: (known: CaseMails) => Writing, instead = false) => {
      // The cache is ahead of what is drawn: a draft that has just come back is there.
      const known = queries.getQueryData<CaseMails>(caseMailsQuery(caseId).queryKey);
      if (!known) return;
      setComposing((before) => ({
        number: (before?.number ?? 0) + 1,
        stored: known.draft,
        fresh: begin(known),
        seen: lastOf(known.mails),
        instead,
      }));
    },
    [caseId, queries],
  );
  const close = useCallback(() => setComposing(undefined), []);
  return { composing, compose, close };
}
