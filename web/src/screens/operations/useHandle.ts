import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { handleCaptures, operationsKey, type ReviewAct } from '~/api/queries/operations';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

interface Handling {
  act: ReviewAct;
  requestIDs: string[];
}

const DONE = { retry: 'act.retried', discard: 'act.discarded' } as const;

/** Retries or discards captures, and tells how many were and why others were not. */
export function useHandle(then: () => void) {
  const { t } = useTranslation('operations');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ act, requestIDs }: Handling) => handleCaptures(act, requestIDs),
    onSuccess: (handled, { act }) => {
      const count = (...outcomes: string[]) => handled.filter(({ outcome }) => outcomes.includes(outcome)).length;
      const done = count('done');
      const closed = count('closed', 'unknown');
      const disabled = count('disabled');
      if (done > 0) toast.success(t(DONE[act], { count: done }));
      if (closed > 0) toast.warning(t('act.closed', { count: closed }));
      if (disabled > 0) toast.warning(t('act.disabled', { count: disabled }));
      then();
    },
    onError: (error) => toast.error(errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: operationsKey }),
  });
}
