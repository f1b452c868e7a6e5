import { Button } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconPencil, IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Mail } from '~/api/queries/caseMails';
import { useFormats } from '~/ui/useFormats';
import { troubled } from './deliveries';
import styles from './mails.module.css';

interface Props {
  mail: Mail;
  onRule(arrived: boolean): void;
  onWriteAgain(): void;
  onContacts(): void;
}

/** A mail that failed, or whose outcome nobody knows: what the server said, and the two ways on. Shows nothing for any other. */
export function MailTrouble({ mail, onRule, onWriteAgain, onContacts }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  const deliveries = troubled(mail);
  if (deliveries.length === 0) return null;
  const unknown = deliveries.some(({ state }) => state === 'unknown');
  const said = [...new Set(deliveries.map(({ code, text }) => [code, text].filter(Boolean).join(' ')))].filter(Boolean);
  return (
    <section className={styles.trouble} data-state={unknown ? 'unknown' : 'failed'} aria-label={t('trouble')}>
      <IconAlertTriangle size={17} aria-hidden />
      <div className={styles.said}>
        <p>
          {t(unknown ? 'unknownTo' : 'failedTo', { addresses: fmt.list(deliveries.map(({ address }) => address)) })}
        </p>
        {said.map((text) => (
          <q key={text}>{text}</q>
        ))}
      </div>
      <div className={styles.ways}>
        {unknown ? (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconCheck size={15} aria-hidden />}
            onClick={() => onRule(true)}
          >
            {t('itArrived')}
          </Button>
        ) : (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconUsers size={15} aria-hidden />}
            onClick={onContacts}
          >
            {t('contacts.open')}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPencil size={15} aria-hidden />}
          onClick={() => {
            if (unknown) onRule(false);
            onWriteAgain();
          }}
        >
          {t(unknown ? 'lostWriteAgain' : 'writeAgain')}
        </Button>
      </div>
    </section>
  );
}
