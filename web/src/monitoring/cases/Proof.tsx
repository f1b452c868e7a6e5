import { Loader, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type ProofCheck, proofQuery, type Relapse } from '~/api/queries/proof';
import { dayjs } from '~/lib/dates';
import { ErrorPanel } from '~/ui/feedback';
import { useFormats } from '~/ui/useFormats';
import styles from './Proof.module.css';

interface Props {
  /** The id of the case. */
  id: number;
}

/**
 * Whether the advertiser of a case has kept its word: the checks after its acceptance and the ads that were seen again, each with a link to its page.
 * Nothing for a case without either. With the texts of `proof`.
 */
export function Proof({ id }: Props) {
  const { t } = useTranslation('proof');
  const fmt = useFormats();
  const { data, isError, refetch } = useQuery(proofQuery(id));
  if (!data) return isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader size="sm" />;
  const { acceptedDate, graceUntil, lastView, checks, relapses } = data;
  if (checks.length === 0 && relapses.length === 0) return null;
  const isSeen = acceptedDate && lastView && dayjs(lastView).isAfter(acceptedDate);
  return (
    <section className={styles.part} aria-label={t('title')}>
      {acceptedDate && (
        <Text size="sm">
          {isSeen ? t('seenSince', { date: fmt.dateTime(lastView) }) : t('notSeenSince')}{' '}
          {graceUntil && dayjs().isBefore(graceUntil) && t('grace', { date: fmt.date(graceUntil) })}
        </Text>
      )}
      {relapses.length > 0 && (
        <ul className={styles.list} aria-label={t('relapses')}>
          {relapses.map((relapse) => (
            <RelapseItem key={relapse.historyID} relapse={relapse} />
          ))}
        </ul>
      )}
      {checks.length > 0 && (
        <ol className={styles.list} aria-label={t('checks')}>
          {checks.map((check) => (
            <li key={`${check.acceptedDate} ${check.day}`} className={check.plannedDate ? undefined : styles.dim}>
              <CheckWords check={check} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

/** A check in words. */
function CheckWords({ check }: { check: ProofCheck }) {
  const { t } = useTranslation('proof');
  const fmt = useFormats();
  const { day, dueDate, plannedDate, valid, waiting, failed } = check;
  if (!plannedDate) return t('check.toCome', { count: day, date: fmt.date(dueDate) });
  const parts = [
    valid > 0 && t('check.valid', { count: valid }),
    waiting > 0 && t('check.waiting', { count: waiting }),
    failed > 0 && t('check.failed', { count: failed }),
  ].filter(Boolean);
  return t('check.made', { count: day, what: parts.length > 0 ? parts.join(', ') : t('check.nothing') });
}

/** An ad that was seen again, with the page it was seen on where that is kept. */
function RelapseItem({ relapse }: { relapse: Relapse }) {
  const { t } = useTranslation('proof');
  const fmt = useFormats();
  const { captureID, hasPage, seenDate, term, text } = relapse;
  return (
    <li>
      <span>{t('relapse', { date: fmt.dateTime(seenDate), term })}</span>
      <q className={styles.words}>{text}</q>
      {hasPage ? (
        <Link className={styles.link} to="/terms/capture/$requestID" params={{ requestID: captureID }}>
          {t('openPage')}
        </Link>
      ) : (
        <span className={styles.dim}>{t('pageGone')}</span>
      )}
    </li>
  );
}
