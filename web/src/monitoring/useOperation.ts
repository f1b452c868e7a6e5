import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { operationsKey } from '~/api/queries/operations';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

/**
 * A mutation of what runs by itself: runs `run`, shows `successText` or the error in a toast, and reloads all queries of operations either way.
 * `onSuccess` is called only on success.
 */
export function useOperation(run: () => Promise<void>, successText: string, onSuccess?: () => void) {
  const { t } = useTranslation('common');
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    onSuccess: () => {
      toast.success(successText);
      onSuccess?.();
    },
    onError: (error) => toast.error(errorText(error, t)),
    onSettled: () => queries.invalidateQueries({ queryKey: operationsKey }),
  });
}
