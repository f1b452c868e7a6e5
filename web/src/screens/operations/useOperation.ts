import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { operationsKey } from '~/api/queries/operations';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

/** A mutation of this page: shows a toast with its result and reloads all of the page's queries. */
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
