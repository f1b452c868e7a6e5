import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { reloadCases } from '~/api/queries/actions';
import { isRefusal, reloadMails, undoSend } from '~/api/queries/caseMails';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './LeavingBar.module.css';
import { endLeaving, type Leaving, putLeaving, UNDO_MS } from './leaving';
import { TOO_LATE } from './useMailActs';

const SECOND_MS = 1_000;

/** How long the mark of an undone mail stays, for the page of its case to see. */
const UNDONE_MS = 2_000;

/** Says that a mail is leaving, with the seconds in which it can be taken back. It is the same on every page; the server waits by itself. */
export function LeavingBar({ leaving }: { leaving: Leaving }) {
  const { t } = useTranslation('mailsOfCases');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const seconds = useSecondsLeft(leaving);
  const { mutate, isPending } = useMutation({
    mutationFn: () => undoSend(leaving.mailId),
    onSuccess: async () => {
      putLeaving({ ...leaving, until: Date.now() + UNDONE_MS, undone: true });
      toast.success(t('undone'));
      await reloadMails(queries, leaving.caseId);
      await reloadCases(queries);
    },
    onError: (error) => {
      endLeaving(leaving.mailId);
      if (isRefusal(error, TOO_LATE)) toast.warning(t('alreadyLeaving'));
      else toast.error(t('undoFailed'), errorText(error, common));
    },
  });
  if (leaving.undone) return null;
  return (
    <section className={styles.bar} aria-label={t('leaving.label')}>
      <span className={styles.ring} aria-hidden>
        <svg viewBox="0 0 36 36" role="presentation">
          <circle cx="18" cy="18" r="15.5" pathLength={1} />
          <circle cx="18" cy="18" r="15.5" pathLength={1} strokeDasharray={`${(seconds * SECOND_MS) / UNDO_MS} 1`} />
        </svg>
        {seconds}
      </span>
      <p className={styles.text}>
        {t('leaving.to', { count: leaving.recipients })}
        <span>{leaving.domain}</span>
      </p>
      <Button size="compact-md" color="gray.4" variant="light" loading={isPending} onClick={() => mutate()}>
        {t('leaving.undo')}
      </Button>
    </section>
  );
}

/** The whole seconds that are left; forgets the mail at 0. */
function useSecondsLeft({ mailId, until }: Leaving): number {
  const left = () => Math.min(UNDO_MS / SECOND_MS, Math.max(0, Math.ceil((until - Date.now()) / SECOND_MS)));
  const [seconds, setSeconds] = useState(left);
  useEffect(() => {
    const timer = setInterval(() => {
      const now = Math.max(0, Math.ceil((until - Date.now()) / SECOND_MS));
      setSeconds(Math.min(UNDO_MS / SECOND_MS, now));
      if (now === 0) endLeaving(mailId);
    }, SECOND_MS / 4);
    return () => clearInterval(timer);
  }, [mailId, until]);
  return seconds;
}
