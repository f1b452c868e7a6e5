import { Button, SegmentedControl } from '@mantine/core';
import {
  IconAlertTriangle,
  IconFileUnknown,
  IconFileZip,
  IconLink,
  IconScan,
  IconShieldLock,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import {
  type CaptureAddress,
  type CaptureResult,
  captureQuery,
  evidenceAddress,
  pageAddress,
  screenshotAddress,
} from '~/api/queries/captures';
import { CopyButton } from '~/ui/buttons';
import { errorText } from '~/ui/errorText';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { DeviceIcon, EngineIcon, Flag } from '~/ui/marketIcons';
import { PageFrame } from '~/ui/PageFrame';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import styles from './Capture.module.css';

/** The value of a search parameter that is missing or invalid. */
const NONE = 'none';

const LABEL = '(?!-)[\\p{L}\\p{N}-]{1,63}(?<!-)';
const HOSTNAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})+$`, 'u');

/** The `domain` of the address if it is a hostname. */
export const domainParam = (text: unknown): string => (typeof text === 'string' && HOSTNAME.test(text) ? text : NONE);

/** The `adstype` of the address if it is one. */
export const adTypeParam = (text: unknown): string => (text === 'ads' || text === 'shopping' ? text : NONE);

const VIEWS = ['page', 'screenshot'] as const;
type View = (typeof VIEWS)[number];

interface Props {
  /** Offers the evidence for download, which needs a session. */
  guarded?: boolean;
}

/**
 * The captured page that the address names, with its ad (`domain`, `adstype`) outlined, and its screenshot if there is one. Public: anybody
 * with the link sees it; with `guarded`, it also offers the evidence for download, which needs a session. A failure is shown in its place and
 * as a toast.
 */
export function Capture({ guarded = false }: Props) {
  const { t } = useTranslation('capture');
  const common = useTranslation('common').t;
  const { requestID = '' } = useParams({ strict: false });
  const search = useSearch({ strict: false });
  const address: CaptureAddress = {
    requestID,
    domain: domainParam(search.domain),
    adstype: adTypeParam(search.adstype),
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

/** The public address of the same capture and ad. */
function publicAddress({ requestID, ...params }: CaptureAddress): string {
  const address = new URL(`/public-html-ad-content/${encodeURIComponent(requestID)}`, window.location.origin);
  address.search = new URLSearchParams(params).toString();
  return address.href;
}

/** Why a capture cannot be shown, in the user's language; undefined without an error. */
function useFailureText(error: unknown): string | undefined {
  const { t } = useTranslation('capture');
  const common = useTranslation('common').t;
  if (!error) return undefined;
  if (!(error instanceof ApiError) || error.status !== 404) return errorText(error, common);
  return error.code === 'CAPTURE_EXPIRED' ? t('expired') : t('unknown');
}

/** The capture inside the application, for signed-in users. */
export const GuardedCapture = () => <Capture guarded />;

interface FactsProps {
  capture: CaptureResult;
  /** The domain of the outlined ad, or `none`. */
  domain: string;
  /** Actions on the capture, shown beside the facts. */
  children: ReactNode;
}

/** The search, its place and time, and remarks: whether the ad is outlined, whether the page is doubtful. `children` are shown beside them. */
function Facts({ capture, domain, children }: FactsProps) {
  const { t } = useTranslation(['capture', 'market']);
  const fmt = useFormats();
  const { engine, locale, term, device } = capture.job;
  const name = t(`market:engine.${engine}`, { defaultValue: engine });
  return (
    <header className={styles.facts}>
      <div className={styles.head}>
        <h1 className={styles.sentence} tabIndex={-1}>
          <span className={styles.marks}>
            <EngineIcon engine={engine} size={18} />
            <Flag code={locale.split('_')[1] ?? ''} />
            <DeviceIcon device={device} />
          </span>
          <span>{t('sentence', { engine: name, locale, date: fmt.moment(capture.createdDate), term })}</span>
        </h1>
        <ul className={styles.notes}>
          {domain !== NONE && (
            <li data-tone={capture.ad == null ? 'plain' : 'mark'}>
              <IconScan size={15} aria-hidden />
              {t(capture.ad == null ? 'notOutlined' : 'outlined', { domain })}
            </li>
          )}
          {capture.verdict === 'doubtful' && (
            <li data-tone="warn">
              <IconAlertTriangle size={15} aria-hidden />
              {t('doubt')}
            </li>
          )}
          <li data-tone="plain">
            <IconShieldLock size={15} aria-hidden />
            {t('inert')}
          </li>
        </ul>
      </div>
      <div className={styles.actions}>{children}</div>
    </header>
  );
}
