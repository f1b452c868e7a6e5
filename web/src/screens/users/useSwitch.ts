import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { workAs } from '~/api/session';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

/** Goes on as another user; the page is loaded anew. */
export function useSwitch(userId: string) {
  const { t } = useTranslation('common');
  return useMutation({
    mutationFn: () => workAs(userId),
    onError: (error) => toast.error(errorText(error, t)),
  });
}
