import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { attachMail, detachMail, discardMail, type InboundMail, inboundMailsKey } from '~/api/queries/inboundMails';
import { newOperation } from '~/api/queries/undo';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { endOffer, offerUndo, undoOffer } from '~/ui/undo';

export type Filing = ReturnType<typeof useFiling>;

/** How a mail has left the list. */
interface Gone {
  id: number;
  way: 'filed' | 'discarded';
}

/**
 * What can be done with a mail: it is filed in a case, which can be undone for some seconds, or put away for as long as nobody brings it back. `onGone` is
 * called when one has left the list.
 */
export function useFiling(onGone: () => void) {
  const { t } = useTranslation('unmatchedMails');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const last = useRef<Gone>(undefined);
  const reload = () => queries.invalidateQueries({ queryKey: inboundMailsKey });
  const why = (error: unknown) =>
    error instanceof ApiError && error.code === 'MAIL_SETTLED' ? t('settled') : errorText(error, common);

  const restore = async ({ id, way }: Gone) => {
    last.current = undefined;
    if (way === 'discarded') return discardMail(id, false);
    await detachMail(id);
  };
  const offer = (gone: Gone, text: string) => {
    last.current = gone;
    offerUndo({ operation: newOperation(), undo: () => restore(gone), text, changes: [inboundMailsKey] });
  };
  const attaching = useMutation({
    mutationFn: ({ mail, actionID }: { mail: InboundMail; actionID: number }) => attachMail(mail.id, actionID),
    onSuccess: (_, { mail, actionID }) => {
      offer({ id: mail.id, way: 'filed' }, `${t('filed')} ${t('openHint', { id: actionID })}`);
      onGone();
    },
    onError: (error) => toast.error(t('failed'), why(error)),
    onSettled: reload,
  });
  const discarding = useMutation({
    mutationFn: (mail: InboundMail) => discardMail(mail.id, true),
    onSuccess: (_, { id }) => {
      offer({ id, way: 'discarded' }, t('discarded'));
      onGone();
    },
    onError: (error) => toast.error(t('discardFailed'), why(error)),
    onSettled: reload,
  });
  const restoring = useMutation({
    mutationFn: restore,
    onSuccess: () => {
      const shown = undoOffer.get();
      if (shown) endOffer(shown);
      toast.success(t('restored'));
    },
    onError: (error) => toast.error(common('undo.failed'), why(error)),
    onSettled: reload,
  });
  const isBusy = attaching.isPending || discarding.isPending || restoring.isPending;
  return {
    isBusy,
    attach: (mail: InboundMail, actionID: number) => {
      if (!isBusy) attaching.mutate({ mail, actionID });
    },
    discard: (mail: InboundMail) => {
      if (!isBusy) discarding.mutate(mail);
    },
    /** Brings the mail back that was filed or put away last. */
    undo: () => {
      if (last.current && !isBusy) restoring.mutate(last.current);
    },
  };
}
