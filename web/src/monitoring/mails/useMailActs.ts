import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type ChangedMail,
  changeMail,
  isRefusal,
  type Mail,
  markAutomatic,
  readMail,
  reloadMails,
  ruleMail,
  undoSend,
} from '~/api/queries/caseMails';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { endLeaving } from './leaving';

/** The server's answer to an undo that comes too late. */
export const TOO_LATE = 'ALREADY_LEAVING';

export interface MailActs {
  read(mail: Mail, read: boolean): void;
  automatic(mail: Mail, automatic: boolean): void;
  /** Says what became of a mail of unknown outcome. */
  rule(mail: Mail, arrived: boolean): void;
  takeBack(mail: Mail): void;
}

/**
 * What a reader does with mails of a case, as the same object at every render. A failure is reported and changes nothing; `onChange` is called when the
 * counts of the case have changed, `onTakenBack` when a mail is a draft again.
 */
export function useMailActs(caseId: string, onChange: () => void, onTakenBack: () => void): MailActs {
  const { t } = useTranslation('mailsOfCases');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const takenBack = useRef(onTakenBack);
  takenBack.current = onTakenBack;
  const { mutate: change } = useMutation({
    mutationFn: (act: () => Promise<ChangedMail>) => act(),
    onSuccess: (mail) => {
      changeMail(queries, caseId, mail);
      onChange();
    },
    onError: (error) => {
      toast.error(common('generic.error'), errorText(error, common));
      void reloadMails(queries, caseId);
    },
  });
  const { mutate: undo } = useMutation({
    mutationFn: ({ id }: Mail) => undoSend(id),
    onSuccess: (_draft, { id }) => {
      endLeaving(id);
      takenBack.current();
    },
    onError: (error) => {
      if (isRefusal(error, TOO_LATE)) toast.warning(t('alreadyLeaving'));
      else toast.error(t('undoFailed'), errorText(error, common));
      void reloadMails(queries, caseId);
    },
  });
  return useMemo(
    () => ({
      read: (mail, read) => change(() => readMail(mail.id, read)),
      automatic: (mail, automatic) => change(() => markAutomatic(mail.id, automatic)),
      rule: (mail, arrived) => change(() => ruleMail(mail.id, arrived)),
      takeBack: (mail) => undo(mail),
    }),
    [change, undo],
  );
}
