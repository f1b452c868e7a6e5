import { ActionIcon, Button } from '@mantine/core';
import { IconExternalLink, IconPhotoOff, IconRefresh, IconTrash, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ReviewAct, type Reviewed, reviewPageAddress, reviewQuery } from '~/api/queries/operations';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { StatusBadge } from '~/ui/indicators';
import { PageFrame } from '~/ui/PageFrame';
import { useFormats } from '~/ui/useFormats';
import styles from './Reviews.module.css';
import { SearchPlace } from './SearchPlace';

interface Props {
  requestID: string;
  busy: boolean;
  onAction: (action: ReviewAct) => void;
  onClose: () => void;
}

/**
 * The captured page of a review next to the ads that were read off it. Retry and discard, offered unless it is handled already, only call
 * `onAction`.
 */
export function ReviewDetail({ requestID, busy, onAction, onClose }: Props) {
  const { t } = useTranslation(['operations', 'home']);
  const fmt = useFormats();
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
      <header className={styles.detailHead}>
        <div className={styles.facts}>
          <h3 className={styles.detailTerm}>{term}</h3>
          <p className={styles.line}>
            <SearchPlace {...run} />
            <span>{fmt.dateTime(run.date)}</span>
            <span>{t('review.attempts', { count: run.attempts })}</span>
          </p>
          <p className={styles.line}>
            {kind && (
              <StatusBadge tone={kind === 'doubtful' ? 'warn' : 'bad'}>
                {t(`one.${kind}`, { defaultValue: kind })}
              </StatusBadge>
            )}
            {handled && <StatusBadge tone="good">{t('review.handled')}</StatusBadge>}
            {reason && (
              <span className={styles.detailReason}>{t(`home:reason.${reason}`, { defaultValue: reason })}</span>
            )}
          </p>
        </div>
        <div className={styles.actions}>
          {kind && !handled && (
            <>
              <Button
                size="xs"
                leftSection={<IconRefresh size={15} />}
                loading={busy}
                onClick={() => onAction('retry')}
              >
                {t('act.retry')}
              </Button>
              <Button
                size="xs"
                variant="default"
                leftSection={<IconTrash size={15} />}
                loading={busy}
                onClick={() => onAction('discard')}
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
        <ParsedAds run={run} shown={ad} onShow={setAd} />
      </div>
    </section>
  );
}

interface ParsedAdsProps {
  run: Reviewed;
  /** The ad that the page is scrolled to. */
  shown: number | undefined;
  onShow: (ad: number) => void;
}

/**
 * The ads that were read, in page order; a click calls `onShow` with the mark of the ad. Without ads it says whether the page has none or was not
 * read.
 */
function ParsedAds({ run, shown, onShow }: ParsedAdsProps) {
  const { t } = useTranslation('operations');
  const { ads, shopping, read } = run;
  return (
    <section className={styles.parsedAds} aria-label={t('review.read')}>
      <h4 className={styles.parsedAdsTitle}>
        {t('review.read')}
        {ads != null && shopping != null && <span>{t('review.counts', { ads, shopping })}</span>}
      </h4>
      {read.length === 0 && (
        <p className={styles.nothing}>{t(ads == null ? 'review.notRead' : 'review.nothingRead')}</p>
      )}
      <ol className={styles.ads}>
        {read.map((ad) => (
          <li key={ad.mark}>
            <button
              type="button"
              className={styles.ad}
              aria-pressed={ad.mark === shown}
              data-mark={ad.mark}
              onClick={() => onShow(ad.mark)}
            >
              <span className={styles.rank}>{ad.realPosition}</span>
              <span className={styles.adText}>
                <strong>{ad.title}</strong>
                <span className={styles.domain}>
                  {ad.domain || t('ad.noDomain')} · {t(ad.kind === 'shopping' ? 'ad.shopping' : 'ad.ads')}
                  {ad.price && ` · ${ad.price}`}
                </span>
                {ad.description && <span className={styles.description}>{ad.description}</span>}
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}
