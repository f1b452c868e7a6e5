import { Button } from '@mantine/core';
import { IconUserPlus, IconUserQuestion } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { addContact, type Mail, reloadMails } from '~/api/queries/caseMails';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import styles from './mails.module.css';

/** A status that the case had from here on, as a thin line. */
export function ChangeLine({ status, at }: { status: string; at: string }) {
  const { t } = useTranslation('advertisers');
  const fmt = useFormats();
  return (
    <p className={styles.change} data-status={status}>
      <span className={styles.dot} aria-hidden />
      <span className="sentence">{t(`status.${status}` as never)}</span>
      <time dateTime={at}>{fmt.shortDate(at)}</time>
    </p>
  );
}

/** A sender who is no contact of the advertiser yet, with the offer to make one of them. */
export function NewSender({ caseId, from }: { caseId: string; from: NonNullable<Mail['from']> }) {
  const { t } = useTranslation('mailsOfCases');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => addContact(caseId, { email: from.address, name: from.name ?? '' }),
    onSuccess: () => toast.success(t('contacts.added')),
    onError: (error) => toast.error(t('contacts.failed'), errorText(error, common)),
    onSettled: () => reloadMails(queries, caseId),
  });
  return (
    <div className={styles.newSender}>
      <IconUserQuestion size={17} aria-hidden />
      <p>{t('newSender', { address: from.address })}</p>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconUserPlus size={15} aria-hidden />}
        loading={isPending}
        onClick={() => mutate()}
      >
        {t('contacts.save')}
      </Button>
    </div>
  );
}
