import { Kbd, Loader, SegmentedControl } from '@mantine/core';
import { IconMailCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type InboundMail, inboundMailsQuery, type Verdict } from '~/api/queries/inboundMails';
import { useMe } from '~/api/session';
import { useKeys } from '~/list/cards/useKeys';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { useFormats } from '~/ui/useFormats';
import { MailReader } from './MailReader';
import styles from './UnmatchedMails.module.css';
import { useFiling } from './useFiling';

const VERDICTS = ['unmatched', 'unreadable'] as const satisfies Verdict[];
/** Suggestions with a key of their own. */
const NUMBERS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'] as const;

/** The received mails of which nobody knows the case: a list, and the chosen one with what can be done with it. */
export function UnmatchedMails() {
  const { t } = useTranslation('unmatchedMails');
  const common = useTranslation('common').t;
  const [verdict, setVerdict] = useState<Verdict>('unmatched');
  const { data, isError, refetch } = useQuery(inboundMailsQuery(verdict));
  const [chosen, setChosen] = useState<number>();
  const mails = data?.data ?? [];
  const at = Math.max(
    0,
    mails.findIndex(({ id }) => id === chosen),
  );
  const mail = mails.at(at);
  /** The next one is in sight once this one is gone. */
  const goOn = () => setChosen((mails[at + 1] ?? mails[at - 1])?.id);
  const filing = useFiling(goOn);
  const list = useRef<HTMLUListElement>(null);

  const move = (step: 1 | -1) => {
    const next = mails[at + step];
    if (!next) return;
    setChosen(next.id);
    list.current?.querySelector<HTMLElement>(`[data-mail="${next.id}"]`)?.focus();
  };
  const file = (number: number) => {
    const found = mail?.suggestions[number];
    if (mail && found) filing.attach(mail, found.actionID);
  };
  useKeys(useMe().id, {
    j: () => move(1),
    k: () => move(-1),
    d: () => mail && filing.discard(mail),
    z: filing.undo,
    ...Object.fromEntries(NUMBERS.map((key, number) => [key, () => file(number)])),
  });
  // A change of the list leaves nothing chosen that is not in it.
  useEffect(() => {
    if (chosen !== undefined && data && !data.data.some(({ id }) => id === chosen)) setChosen(undefined);
  }, [chosen, data]);

  return (
    <div className={styles.page} data-reading={chosen !== undefined || undefined}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.unmatchedMails')}
        </h1>
        {data && data.unmatched > 0 && <span className={styles.count}>{t('count', { count: data.unmatched })}</span>}
        <SegmentedControl
          className={styles.tabs}
          aria-label={common('title.unmatchedMails')}
          data={VERDICTS.map((one) => ({ value: one, label: t(`tab.${one}`) }))}
          value={verdict}
          onChange={(next) => {
            setVerdict(VERDICTS.find((one) => one === next) ?? 'unmatched');
            setChosen(undefined);
          }}
        />
      </header>
      <p className={styles.dim}>
        {t('intro')}{' '}
        {mails.length > 0 && (
          <span className={styles.keys}>
            <Kbd>j</Kbd> <Kbd>k</Kbd> <Kbd>1</Kbd> <Kbd>d</Kbd> <Kbd>z</Kbd> {t('keys')}
          </span>
        )}
      </p>
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {data && mails.length === 0 && (
        <EmptyState
          icon={<IconMailCheck size={26} />}
          title={t(verdict === 'unmatched' ? 'none' : 'noneUnreadable')}
          {...(verdict === 'unmatched' && { text: t('noneText') })}
        />
      )}
      {mail && (
        <div className={styles.columns}>
          <ul ref={list} className={styles.list} aria-label={t('list')}>
            {mails.map((one) => (
              <li key={one.id} className={styles.entry}>
                <MailLine mail={one} isShown={one.id === mail.id} onChoose={() => setChosen(one.id)} />
              </li>
            ))}
          </ul>
          <MailReader key={mail.id} mail={mail} filing={filing} onBack={() => setChosen(undefined)} />
        </div>
      )}
    </div>
  );
}

interface LineProps {
  mail: InboundMail;
  isShown: boolean;
  onChoose(): void;
}

/** A mail as one entry of the list. */
function MailLine({ mail, isShown, onChoose }: LineProps) {
  const { t } = useTranslation('unmatchedMails');
  const fmt = useFormats();
  const { id, from, subject, preview, receivedDate } = mail;
  return (
    <button type="button" className={styles.line} data-mail={id} aria-current={isShown || undefined} onClick={onChoose}>
      <span className={styles.lineHead}>
        <strong>{from?.name || from?.address || t('unknownSender')}</strong>
        <time dateTime={receivedDate}>
          {fmt.shortDate(receivedDate)} {fmt.time(Date.parse(receivedDate))}
        </time>
      </span>
      <span className={styles.lineSubject}>{subject || t('noSubject')}</span>
      <span className={styles.linePreview}>{preview}</span>
    </button>
  );
}
