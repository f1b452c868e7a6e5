import { IconMailOff } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import type { CaseMails, Mail } from '~/api/queries/caseMails';
import { EmptyState } from '~/ui/feedback';
import { MailItem, type MailTools } from './MailItem';
import styles from './mails.module.css';
import { ChangeLine, NewSender } from './ThreadLines';
import { threadOf } from './thread';

/** Room above the first open mail, for the end of what came before it. */
const ABOVE_PX = 48;

interface Props {
  caseId: string;
  mails: CaseMails['mails'];
  contacts: CaseMails['contacts'];
  history: CaseRow['history'];
  opened: ReadonlySet<number>;
  tools: MailTools;
  /** Offered while there is no mail. */
  start?: ReactNode;
  list: RefObject<HTMLElement | null>;
}

/** The last mail of each sender who is no contact. */
function newSenders(mails: readonly Mail[], contacts: CaseMails['contacts']): ReadonlySet<number> {
  const known = new Set(contacts.map(({ email }) => email.toLowerCase()));
  const last = new Map<string, number>();
  for (const { id, direction, from, automatic } of mails) {
    const address = from?.address.toLowerCase();
    if (direction === 'in' && address && automatic !== 'certain' && !known.has(address)) last.set(address, id);
  }
  return new Set(last.values());
}

/** The mails of a case and its statuses between them, the oldest first. It begins at the first mail that is open. */
export function Thread({ caseId, mails, contacts, history, opened, tools, start, list }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const items = useMemo(() => threadOf(mails, history), [mails, history]);
  const unknown = useMemo(() => newSenders(mails, contacts), [mails, contacts]);
  const isEmpty = !items.some(({ kind }) => kind === 'mail');

  useEffect(() => {
    const first = list.current?.querySelector<HTMLElement>(':scope > [data-opened]');
    if (list.current && first) list.current.scrollTop = first.offsetTop - ABOVE_PX;
  }, [list]);

  return (
    <section ref={list} data-thread className={styles.thread} aria-label={t('thread')}>
      {items.map((item) =>
        item.kind === 'change' ? (
          <ChangeLine key={item.key} status={item.status} at={item.at} />
        ) : (
          <div key={item.key} className={styles.item} data-opened={opened.has(item.mail.id) || undefined}>
            <MailItem mail={item.mail} opened={opened.has(item.mail.id)} tools={tools} />
            {tools.staff && unknown.has(item.mail.id) && item.mail.from && (
              <NewSender caseId={caseId} from={item.mail.from} />
            )}
          </div>
        ),
      )}
      {isEmpty && <EmptyState icon={<IconMailOff size={26} />} title={t('empty')} action={start} />}
    </section>
  );
}
