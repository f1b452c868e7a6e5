import { Button } from '@mantine/core';
import { IconArrowsDiagonal, IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Contact } from '~/api/queries/caseMails';
import { useFormats } from '~/ui/useFormats';
import { countContacts } from './contacts';
import { isFramed } from './frame';
import { mailsPath } from './frameProtocol';
import styles from './mails.module.css';

interface Props {
  caseId: string;
  count: number;
  /** Undefined for readers who do not write. */
  contacts: readonly Contact[] | undefined;
  onContacts(): void;
}

/** How many mails there are, and how many contacts can be written to. */
export function MailsHead({ caseId, count, contacts, onContacts }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  const { active, bounced } = countContacts(contacts ?? []);
  return (
    <header className={styles.head}>
      <h2>
        {t('title')} <span>{fmt.count(count)}</span>
      </h2>
      {contacts && (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          className={styles.contactsButton}
          leftSection={<IconUsers size={16} aria-hidden />}
          onClick={onContacts}
        >
          <span className={styles.contactsWord}>{t('contacts.title')}</span>
          <strong>{t('contacts.active', { count: active })}</strong>
          {bounced > 0 && <strong className={styles.bounced}>{t('contacts.bounced', { count: bounced })}</strong>}
        </Button>
      )}
      {isFramed() && (
        <a className={styles.alone} href={mailsPath(caseId)} target="_blank" rel="noreferrer" title={t('alone')}>
          <IconArrowsDiagonal size={17} aria-hidden />
          <span className="visually-hidden">{t('alone')}</span>
        </a>
      )}
    </header>
  );
}
