import { Button, Kbd, Loader, Tooltip } from '@mantine/core';
import { IconArrowLeft, IconFolderPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type InboundMail, inboundTextQuery } from '~/api/queries/inboundMails';
import type { Tools, Translate } from '~/list/types';
import { CaseStatus } from '~/monitoring/cases/CaseStatus';
import { MailText } from '~/monitoring/mails/MailText';
import { ErrorPanel } from '~/ui/feedback';
import { lazyPart } from '~/ui/lazyPart';
import { EngineIcon, Flag } from '~/ui/marketIcons';
import { useFormats } from '~/ui/useFormats';
import styles from './UnmatchedMails.module.css';
import type { Filing } from './useFiling';

const OtherCase = lazyPart(() => import('./OtherCase').then((module) => module.OtherCase));

interface Props {
  mail: InboundMail;
  filing: Filing;
  onBack(): void;
}

/** A mail, read safely, and the cases that it can be filed in. */
export function MailReader({ mail, filing, onBack }: Props) {
  const { t } = useTranslation('unmatchedMails');
  const fmt = useFormats();
  const isReadable = !mail.failure;
  const { data: text, isError, refetch } = useQuery({ ...inboundTextQuery(mail.id), enabled: isReadable });
  return (
    <article className={styles.reader} aria-label={mail.subject || t('noSubject')}>
      <Button
        className={styles.back}
        variant="subtle"
        size="compact-md"
        leftSection={<IconArrowLeft size={16} aria-hidden />}
        onClick={onBack}
      >
        {t('back')}
      </Button>
      <header className={styles.readerHead}>
        <h2 className={styles.subject}>{mail.subject || t('noSubject')}</h2>
        <Tooltip label={`${t('discard')} (d)`}>
          <Button
            variant="default"
            size="compact-md"
            leftSection={<IconTrash size={16} aria-hidden />}
            aria-keyshortcuts="d"
            disabled={filing.isBusy}
            onClick={() => filing.discard(mail)}
          >
            {t('discard')}
          </Button>
        </Tooltip>
      </header>
      <p className={styles.dim}>
        {[
          mail.from ? [mail.from.name, mail.from.address].filter(Boolean).join(' · ') : t('unknownSender'),
          t('received', { at: fmt.minute(mail.receivedDate) }),
          mail.to.length > 0 && t('to', { addresses: mail.to.join(', ') }),
        ]
          .filter(Boolean)
          .join(' — ')}
      </p>
      {!isReadable && <p className={styles.flaw}>{t('unreadable', { why: mail.failure })}</p>}
      {isReadable && !text && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader size="sm" />)}
      {text && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard
        <section className={styles.text} aria-label={mail.subject || t('noSubject')} tabIndex={0}>
          <MailText mail={{ body: text.body, html: text.html ?? null }} />
        </section>
      )}
      {isReadable && <Cases mail={mail} filing={filing} />}
    </article>
  );
}

/** The suggested cases, each with a button and a key, and a search for another one. */
function Cases({ mail, filing }: Omit<Props, 'onBack'>) {
  const { t } = useTranslation(['unmatchedMails', 'advertisers', 'actions']);
  const fmt = useFormats();
  const tools: Tools = { t: t as Translate, fmt };
  return (
    <section className={styles.cases} aria-label={t('belongs')}>
      <h3 className={styles.casesTitle}>{t('belongs')}</h3>
      {mail.suggestions.length === 0 && <p className={styles.dim}>{t('noSuggestion')}</p>}
      <ol className={styles.suggestions}>
        {mail.suggestions.map(({ actionID, domain, brand, country, engine, status, reason }, at) => (
          <li key={actionID}>
            <span className={styles.suggestion}>
              {at < 9 && <Kbd aria-hidden>{at + 1}</Kbd>}
              <Flag code={country} />
              <EngineIcon engine={engine} />
              <Link className={styles.caseLink} to="/action/$id" params={{ id: String(actionID) }}>
                {[domain, brand].join(' / ')}
              </Link>
              <CaseStatus row={{ status, waiting: false }} tools={tools} />
            </span>
            <span className={styles.dim}>{t(`reason.${reason === 'contact' ? 'contact' : 'domain'}`)}</span>
            <Button
              size="compact-md"
              variant={at === 0 ? 'filled' : 'default'}
              leftSection={<IconFolderPlus size={16} aria-hidden />}
              aria-label={t('fileOf', { domain, brand })}
              disabled={filing.isBusy}
              onClick={() => filing.attach(mail, actionID)}
            >
              {t('file')}
            </Button>
          </li>
        ))}
      </ol>
      <OtherCase mail={mail} filing={filing} />
    </section>
  );
}
