import { Button, SegmentedControl } from '@mantine/core';
import { IconFileUnknown, IconFileZip, IconLink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import {
  type CaptureAddress,
  captureQuery,
  evidenceAddress,
  pageAddress,
  screenshotAddress,
} from '~/api/queries/captures';
import { CopyButton } from '~/ui/buttons';
import { errorText } from '~/ui/errorText';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { PageFrame } from '~/ui/PageFrame';
import { toast } from '~/ui/toast';
import styles from './Capture.module.css';
import { Facts } from './Facts';
import { soughtDomain, soughtKind } from './sought';

const VIEWS = ['page', 'screenshot'] as const;
type View = (typeof VIEWS)[number];

interface Props {
  /** Whether it stands where one is signed in: the evidence is not for everybody. */
  guarded?: boolean;
}

/** A captured page as it was seen, with the ad one came for outlined: for anybody with the link, and inside the monitoring section. */
export function Capture({ guarded = false }: Props) {
  const { t } = useTranslation('capture');
  const common = useTranslation('common').t;
  const { requestID = '' } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const address: CaptureAddress = {
    requestID,
    domain: soughtDomain(search.domain),
    adstype: soughtKind(search.adstype),
  };
  const { data, error, refetch } = useQuery(captureQuery(address));
  const [view, setView] = useState<View>('page');

  const failure = useFailureText(error);
  useEffect(() => {
    if (failure) toast.error(failure);
  }, [failure]);

  if (error) {
    const isMissing = error instanceof ApiError && error.status === 404;
    return (
      <section className={styles.card}>
        <h1 className="visually-hidden" tabIndex={-1}>
          {common('title.capture')}
        </h1>
        {isMissing ? (
          <EmptyState icon={<IconFileUnknown size={26} />} title={t('notFound')} text={failure} />
        ) : (
          <ErrorPanel onRetry={() => refetch()} />
        )}
      </section>
    );
  }
  const capture = data?.data;
  if (!capture) return <section className={styles.card} aria-busy="true" aria-label={t('loading')} />;
  const shown = capture.hasScreenshot ? view : 'page';
  const { term, device } = capture.job;
  return (
    <article className={styles.capture}>
      <Facts capture={capture} domain={address.domain}>
        {capture.hasScreenshot && (
          <SegmentedControl
            size="xs"
            aria-label={t('view')}
            value={shown}
            data={VIEWS.map((one) => ({ value: one, label: t(one) }))}
            onChange={(value) => setView(VIEWS.find((one) => one === value) ?? 'page')}
          />
        )}
        {guarded && (
          <Button
            component="a"
            size="xs"
            variant="default"
            href={evidenceAddress(requestID)}
            download
            leftSection={<IconFileZip size={16} />}
          >
            {t('evidence')}
          </Button>
        )}
        <CopyButton text={() => publicAddress(address)} label={t('copyUrl')} icon={<IconLink size={18} />} />
      </Facts>
      <div className={styles.stage}>
        {shown === 'page' ? (
          <PageFrame src={pageAddress(address, capture.ad)} title={t('frame', { term })} device={device} />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          <section className={styles.picture} tabIndex={0} aria-label={t('screenshot')}>
            <img src={screenshotAddress(requestID)} alt={t('picture', { term })} />
          </section>
        )}
      </div>
    </article>
  );
}

/** The page anybody may open, which shows the same. */
function publicAddress({ requestID, ...sought }: CaptureAddress): string {
  const address = new URL(`/public-html-ad-content/${encodeURIComponent(requestID)}`, window.location.origin);
  address.search = new URLSearchParams(sought).toString();
  return address.href;
}

/** What to tell about a capture that cannot be shown. */
function useFailureText(error: unknown): string | undefined {
  const { t } = useTranslation('capture');
  const common = useTranslation('common').t;
  if (!error) return undefined;
  if (!(error instanceof ApiError) || error.status !== 404) return errorText(error, common);
  return error.code === 'CAPTURE_EXPIRED' ? t('expired') : t('unknown');
}

/** The same inside the monitoring section. */
export const GuardedCapture = () => <Capture guarded />;
