import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { operationsKey } from '~/api/queries/operations';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

/** Something an administrator does: tells how it went, and everything on the page is asked for anew. */
export function useAct(act: () => Promise<void>, success: string, then?: () => void) {
  const { t } = useTranslation('common');
  const queries = useQueryClient();
  return useMutation({
    mutationFn: act,
    onSuccess: () => {
      toast.success(success);
      then?.();
    },
    onError: (error) => toast.error(errorText(error, t)),
    onSettled: () => queries.invalidateQueries({ queryKey: operationsKey }),
  });
}
