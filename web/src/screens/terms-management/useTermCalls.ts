import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type SettingTermRow, settingTermsKey } from '~/api/queries/settingTerms';
import { runNow, type StartedRuns, type Synchronization, synchronize, termRunsKey } from '~/api/queries/termRuns';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

/** The terms of a synchronization. */
interface Synchronized {
  terms: readonly number[];
  /** From 0 to 1; stored on the terms. */
  rate?: number;
}

/** Has the monthly searches of terms read, says how that ended, and loads the list again. */
export function useSynchronization() {
  const { t } = useTranslation('settingTerms');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const say = ({ isConnected, waiting, failed }: Synchronization) => {
    if (!isConnected) toast.error(t('syncFailed'), t('sync.noSource'));
    else if (failed > 0) toast.error(t('syncFailed'), t('sync.failed', { count: failed }));
    else if (waiting > 0) toast.warning(t('sync.waiting', { count: waiting }));
    else toast.success(t('syncDone'));
  };
  return useMutation({
    mutationFn: ({ terms, rate }: Synchronized) => synchronize(terms, rate),
    onSuccess: say,
    onError: (error) => toast.error(t('syncFailed'), errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: settingTermsKey }),
  });
}

/** Captures terms now, and says what was started. */
export function useRunNow(rows: readonly SettingTermRow[], onDone?: () => void) {
  const { t } = useTranslation('settingTerms');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const say = ({ started, underWay, notCaptured }: StartedRuns) => {
    if (started > 0) toast.success(t('run.started', { count: started }));
    if (underWay > 0) toast.warning(t('run.underWay', { count: underWay }));
    if (notCaptured > 0) toast.warning(t('run.notCaptured', { count: notCaptured }));
  };
  return useMutation({
    mutationFn: () => runNow(rows),
    onSuccess: (started) => {
      say(started);
      onDone?.();
    },
    onError: (error) => toast.error(errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: termRunsKey }),
  });
}
