import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { allCases, type CaseRow, changeCases } from '~/api/queries/actions';
import type { GroupAct } from '~/api/queries/advertisers';
import { place } from '~/list/cards/place';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { groupResult } from './groupResult';

interface Change {
  act: GroupAct;
  rows: readonly CaseRow[];
  /** The condition of all cases, where they are meant. */
  where?: string | undefined;
}

/** Changes a group of cases, and leaves the result for the line above the list; a failure raises a toast. */
export function useGroupChange(onDone: () => void) {
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ act, rows, where }: Change) =>
      changeCases(queries, act, where === undefined ? rows : await allCases(where)),
    onSuccess: (result) => {
      place.clear();
      groupResult.set(result);
      onDone();
    },
    onError: (error) => toast.error(common('generic.error'), errorText(error, common)),
  });
}
