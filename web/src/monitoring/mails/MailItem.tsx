import { Button } from '@mantine/core';
import {
  IconArrowBackUp,
  IconChevronDown,
  IconChevronRight,
  IconMail,
  IconRobot,
  IconRobotOff,
  IconSend,
} from '@tabler/icons-react';
import { memo, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Mail } from '~/api/queries/caseMails';
import { useFormats } from '~/ui/useFormats';
import { DeliveryList, StateSummary } from './DeliveryStates';
import { undoLeft } from './deliveries';
import { MailFiles } from './MailFiles';
import { MailText } from './MailText';
import { MailTrouble } from './MailTrouble';
import styles from './mails.module.css';
import { dateOf, initialsOf, isAutomatic, isUnread } from './thread';
import type { MailActs } from './useMailActs';
import { useSeen } from './useSeen';

/** Browsers count no longer ones. */
const LONGEST_TIMER_MS = 0x7fff_ffff;

/** What one mail needs of the thread. */
export interface MailTools {
  acts: MailActs;
  /** Operators and administrators, who act on mails. */
  staff: boolean;
  writeAgain(mail: Mail): void;
  openContacts(): void;
  toggle(mail: Mail): void;
  /** Closes it as well: it would be read again while it is in sight. */
  markUnread(mail: Mail): void;
}

interface Props {
  mail: Mail;
  opened: boolean;
  /** The same object as long as nothing of it changes: a long thread draws only what does. */
  tools: MailTools;
}

/** A mail of a case: one line, and when it is opened its text, files and what became of it. */
export const MailItem = memo(function MailItem({ mail, opened, tools }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  const { acts, staff } = tools;
  const article = useRef<HTMLElement>(null);
  const content = useId();
  const own = mail.direction === 'out';
  const unread = isUnread(mail);
  const automatic = isAutomatic(mail);
  useSeen(article, staff && opened && unread, () => acts.read(mail, true));
  const at = dateOf(mail);
  const name = useWriter(mail);
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  const Mark = automatic ? IconRobot : own ? IconSend : IconMail;
  return (
    <article
      ref={article}
      className={styles.mail}
      data-mail={mail.id}
      data-own={own || undefined}
      data-automatic={automatic || undefined}
      data-opened={opened || undefined}
    >
      <button
        type="button"
        className={styles.line}
        aria-expanded={opened}
        aria-controls={content}
        onClick={() => tools.toggle(mail)}
      >
        <Chevron size={16} aria-hidden />
        {opened && !own && !automatic ? (
          <span className={styles.picture} aria-hidden>
            {initialsOf(mail.from?.name || mail.from?.address || '?')}
          </span>
        ) : (
          <Mark className={styles.mark} size={17} aria-hidden />
        )}
        <span className={styles.who}>
          <strong>{name}</strong> <Gist mail={mail} opened={opened} />
        </span>
        <span className={styles.facts}>
          {unread && <span className={styles.unread}>{t('unread')}</span>}
          {mail.automatic === 'maybe' && !opened && <span className={styles.maybe}>{t('maybe')}</span>}
          {own && (mail.sendAt ? <Later at={mail.sendAt} mail={mail} /> : <StateSummary mail={mail} />)}
          <time dateTime={at}>
            {fmt.shortDate(at)} {fmt.time(Date.parse(at))}
          </time>
        </span>
      </button>
      <div id={content} hidden={!opened} className={styles.body}>
        {opened && <MailContent mail={mail} tools={tools} />}
      </div>
      {staff && own && (
        <>
          <TakeBack mail={mail} onTakeBack={() => acts.takeBack(mail)} />
          <MailTrouble
            mail={mail}
            onRule={(arrived) => acts.rule(mail, arrived)}
            onWriteAgain={() => tools.writeAgain(mail)}
            onContacts={tools.openContacts}
          />
        </>
      )}
      {staff && mail.automatic === 'maybe' && opened && (
        <div className={styles.doubt}>
          <IconRobot size={17} aria-hidden />
          <p>{t('maybeText')}</p>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconRobot size={15} aria-hidden />}
            onClick={() => acts.automatic(mail, true)}
          >
            {t('itIsAutomatic')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconRobotOff size={15} aria-hidden />}
            onClick={() => acts.automatic(mail, false)}
          >
            {t('aPerson')}
          </Button>
        </div>
      )}
    </article>
  );
});

/** Whose mail it is: the writer's name, the reminder's number, or the sender's name or address. */
function useWriter({ direction, author, from, kind, reminder }: Mail): string {
  const { t } = useTranslation('mailsOfCases');
  if (direction === 'in') return from?.name || from?.address || t('unknownSender');
  if (author) return author.name;
  return kind === 'reminder' && reminder !== null ? t('reminder', { number: reminder }) : t(`kind.${kind ?? 'answer'}`);
}

/** What else the line of a mail says: its subject while it is closed, else the sender's address. */
function Gist({ mail, opened }: { mail: Mail; opened: boolean }) {
  const { t } = useTranslation('mailsOfCases');
  const received = mail.direction === 'in';
  if (!received && isAutomatic(mail)) {
    return <span className={styles.gist}>{t('automaticTo', { count: mail.deliveries.length })}</span>;
  }
  const sender = received && mail.from?.name ? mail.from.address : '';
  return <span className={styles.gist}>{opened ? sender : mail.subject}</span>;
}

/** When a mail that was sent for later leaves; what became of it once it was due. */
function Later({ at, mail }: { at: string; mail: Mail }) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  if (Date.parse(at) <= Date.now()) return <StateSummary mail={mail} />;
  return (
    <span className={styles.state} data-state="queued">
      {t('leavesAt', { date: `${fmt.shortDate(at)} ${fmt.time(Date.parse(at))}` })}
    </span>
  );
}

/** The button that takes a mail back while it waits: for some seconds after it was sent, or until its date. */
function TakeBack({ mail, onTakeBack }: { mail: Mail; onTakeBack(): void }) {
  const { t } = useTranslation('mailsOfCases');
  const [, over] = useState(false);
  const left = undoLeft(mail, Date.now());
  useEffect(() => {
    if (left === 0 || left > LONGEST_TIMER_MS) return;
    const timer = setTimeout(() => over(true), left);
    return () => clearTimeout(timer);
  }, [left]);
  if (left === 0) return null;
  return (
    <div className={styles.takeBack}>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconArrowBackUp size={15} aria-hidden />}
        onClick={onTakeBack}
      >
        {t('takeBack')}
      </Button>
    </div>
  );
}

/** An opened mail: its subject, text and files, what became of it, who read it, and marking it unread. */
function MailContent({ mail, tools: { staff, markUnread } }: { mail: Mail; tools: MailTools }) {
  const { t } = useTranslation('mailsOfCases');
  const received = mail.direction === 'in';
  return (
    <>
      <h3 className={styles.subject}>{mail.subject || t('noSubject')}</h3>
      <MailText mail={mail} />
      <MailFiles files={mail.attachments} />
      {!received && mail.deliveries.length > 0 && <DeliveryList deliveries={mail.deliveries} />}
      {!received && mail.then && <p className={styles.dim}>{t(`then.${mail.then}`)}</p>}
      {received && staff && mail.open && (
        <p className={styles.readBy}>
          {mail.readBy && <span className={styles.dim}>{t('readBy', { name: mail.readBy.name })}</span>}
          <button type="button" className={styles.quiet} onClick={() => markUnread(mail)}>
            <IconMail size={15} aria-hidden />
            {t('markUnread')}
          </button>
        </p>
      )}
    </>
  );
}
