import { ActionIcon, Button } from '@mantine/core';
import { IconExternalLink, IconPhotoOff, IconRefresh, IconTrash, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ReviewAct, reviewPageAddress, reviewQuery } from '~/api/queries/operations';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { StatusBadge } from '~/ui/indicators';
import { PageFrame } from '~/ui/PageFrame';
import { useFormats } from '~/ui/useFormats';
import { Place } from './Place';
import { ReadAds } from './ReadAds';
import styles from './ReviewDetail.module.css';
import { useKnownWords } from './words';

interface Props {
  requestID: string;
  busy: boolean;
  onAct: (act: ReviewAct) => void;
  onClose: () => void;
}

/** A capture's page, as the viewer shows it, beside what was read off it. */
export function ReviewDetail({ requestID, busy, onAct, onClose }: Props) {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const known = useKnownWords();
  const [ad, setAd] = useState<number>();
  const { data, isError, refetch } = useQuery(reviewQuery(requestID));
  if (isError)
    return (
      <section className={styles.detail}>
        <ErrorPanel onRetry={() => refetch()} />
      </section>
    );
  const run = data?.data;
  if (!run) return <section className={styles.detail} aria-busy="true" />;
  const { term, reason, kind, handled } = run;
  return (
    <section className={styles.detail} aria-label={term}>
      <header className={styles.head}>
        <div className={styles.facts}>
          <h3 className={styles.term}>{term}</h3>
          <p className={styles.line}>
            <Place {...run} />
            <span>{fmt.dateTime(run.date)}</span>
            <span>{t('review.attempts', { count: run.attempts })}</span>
          </p>
          <p className={styles.line}>
            {kind && (
              <StatusBadge tone={kind === 'doubtful' ? 'warn' : 'bad'}>{known(`one.${kind}`, kind)}</StatusBadge>
            )}
            {handled && <StatusBadge tone="good">{t('review.handled')}</StatusBadge>}
            {reason && <span className={styles.reason}>{known(`home:reason.${reason}`, reason)}</span>}
          </p>
        </div>
        <div className={styles.acts}>
          {kind && !handled && (
            <>
              <Button size="xs" leftSection={<IconRefresh size={15} />} loading={busy} onClick={() => onAct('retry')}>
                {t('act.retry')}
              </Button>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconTrash size={15} />}
                loading={busy}
                onClick={() => onAct('discard')}
              >
                {t('act.discard')}
              </Button>
            </>
          )}
          {run.ads != null && run.hasPage && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('review.open')}
              renderRoot={(props) => <Link to="/terms/capture/$requestID" params={{ requestID }} {...props} />}
            >
              <IconExternalLink size={17} />
            </ActionIcon>
          )}
          <ActionIcon variant="subtle" color="gray" aria-label={t('review.close')} onClick={onClose}>
            <IconX size={17} />
          </ActionIcon>
        </div>
      </header>
      <div className={styles.sides} data-empty={!run.hasPage || undefined}>
        <section className={styles.page} aria-label={t('review.page')}>
          {run.hasPage ? (
            <PageFrame src={reviewPageAddress(requestID, ad)} title={t('review.frame', { term })} device={run.device} />
          ) : (
            <EmptyState icon={<IconPhotoOff size={26} />} title={t('review.noPage')} />
          )}
        </section>
        <ReadAds run={run} shown={ad} onShow={setAd} />
      </div>
    </section>
  );
}
