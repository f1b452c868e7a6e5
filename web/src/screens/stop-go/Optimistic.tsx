import { Switch } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { STOP_GO } from '~/api/queries/stopGo';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

interface Props {
  label: string;
  checked: boolean;
  change(on: boolean): Promise<unknown>;
  done(on: boolean): string;
  failed: string;
}

/** A switch that shows what is wanted at once, and goes back with a toast when the server refuses it. */
export function OptimisticSwitch({ label, checked, change, done, failed }: Props) {
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const changing = useMutation({
    mutationFn: change,
    onSuccess: (_, on) => toast.success(done(on)),
    onError: (error) => toast.error(failed, errorText(error, common)),
    // Shown until the list is there again.
    onSettled: () => queries.invalidateQueries({ queryKey: STOP_GO }),
  });
  return (
    <Switch
      aria-label={label}
      checked={changing.isPending ? changing.variables : checked}
      aria-busy={changing.isPending}
      // A disabled switch would lose the focus.
      onChange={({ currentTarget }) => !changing.isPending && changing.mutate(currentTarget.checked)}
    />
  );
}
