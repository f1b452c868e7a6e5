import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import type { CaseRow } from '~/api/queries/actions';
import { addMail, isRefusal, type Mail, reloadMails, sendDraft, type ThenEvent } from '~/api/queries/caseMails';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { putLeaving, UNDO_MS } from '../leaving';
import { CHANGED, type DraftState, UnsavedError } from './useDraft';

/** The server's code for a mail that came while this one was written. */
const ARRIVED = 'MAIL_ARRIVED';

/** What was refused, by field. */
export type FieldErrors = Partial<Record<'to' | 'subject' | 'body' | 'attachments', string>>;

export interface SendOrder {
  after: ThenEvent | null;
  sendAt: string | null;
  /** Opens the next case afterwards. */
  next: boolean;
}

interface Options {
  row: CaseRow;
  draft: DraftState;
  /** The last mail in sight. */
  seen: number | null;
  onSent(mail: Mail, order: SendOrder): void;
  onRefused(errors: FieldErrors): void;
}

/** Saves the draft and sends it. A mail that came meanwhile is loaded and shown first: sending again is then sending nevertheless. */
export function useSend({ row, draft, seen, onSent, onRefused }: Options) {
  const { t } = useTranslation('mailsOfCases');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ after, sendAt }: SendOrder) => {
      const version = await draft.flush();
      return sendDraft(row.id, { version, seen, after, sendAt });
    },
    onSuccess: (mail, order) => {
      draft.forget();
      addMail(queries, row.id, mail);
      if (order.sendAt === null) {
        putLeaving({
          mailId: mail.id,
          caseId: row.id,
          domain: row.domain,
          recipients: mail.deliveries.length,
          until: Date.now() + UNDO_MS,
        });
      }
      onSent(mail, order);
    },
    onError: (error) => {
      if (error instanceof UnsavedError) {
        if (error.cause) toast.error(t('draft.failed'), errorText(error.cause, common));
        return;
      }
      if (isRefusal(error, ARRIVED)) return;
      if (isRefusal(error, CHANGED)) return toast.warning(t('draft.changedElsewhere'));
      const { fields } = error instanceof ApiError ? error : { fields: {} };
      const refused = Object.fromEntries(
        (['to', 'subject', 'body', 'attachments'] as const).flatMap((field) => {
          const [text] = (fields as Record<string, readonly string[]>)[field] ?? [];
          return text === undefined ? [] : [[field, t('need.refused', { field: t(field), text })]];
        }),
      );
      if (Object.keys(refused).length > 0) return onRefused(refused);
      toast.error(t('send.failed'), errorText(error, common));
    },
    onSettled: () => reloadMails(queries, row.id),
  });
}
