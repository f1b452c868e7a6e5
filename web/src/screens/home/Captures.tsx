import { IconCamera } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Capture, capturesQuery } from '~/api/queries/home';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { Live, StatusBadge, type Tone } from '~/ui/indicators';
import { DeviceIcon, EngineIcon, Flag } from '~/ui/marketIcons';
import { useFormats } from '~/ui/useFormats';
import styles from './Home.module.css';

/**
 * The latest captures, polled while the page is open. A failed refresh leaves the captures and removes the "live" sign; an error panel shows only
 * while there are none.
 */
export function Captures() {
  const { t } = useTranslation('home');
  const { data, isError, refetch, dataUpdatedAt } = useQuery(capturesQuery);
  const now = new Date(dataUpdatedAt);
  return (
    <section className={`${styles.card} ${styles.captures}`} aria-labelledby="last-captures">
      <header className={styles.cardHead}>
        <h2 id="last-captures" className={styles.cardTitle}>
          {t('captures.title')}
        </h2>
        {!isError && <Live label={t('captures.live')} />}
      </header>
      {isError && !data && <ErrorPanel onRetry={() => refetch()} />}
      {data?.data.length === 0 && <EmptyState icon={<IconCamera size={26} />} title={t('captures.empty')} />}
      {data && data.data.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
        <section className={styles.scroll} aria-labelledby="last-captures" tabIndex={0}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{t('captures.when')}</th>
                <th scope="col">{t('captures.term')}</th>
                <th scope="col">{t('captures.place')}</th>
                <th scope="col">{t('captures.state')}</th>
                <th scope="col" className={styles.number}>
                  {t('captures.text')}
                </th>
                <th scope="col" className={styles.number}>
                  {t('captures.shopping')}
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((capture) => (
                <CaptureRow key={`${capture.requestID}:${capture.createdDate}`} capture={capture} now={now} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}

/** The badge of each final state; every other state is shown as busy. */
const TONES: Readonly<Record<string, Tone>> = { verified: 'good', failed: 'bad', missed: 'warn' };

interface CaptureRowProps {
  capture: Capture;
  /** When the captures were loaded. */
  now: Date;
}

/** A capture as a table row. If its page was read, the term links to the capture's screen; a number of ads that is not known is a dash. */
function CaptureRow({ capture, now }: CaptureRowProps) {
  const { t } = useTranslation(['home', 'market']);
  const fmt = useFormats();
  const { engine, device, locale, state, reason } = capture;
  const country = locale?.split('_')[1] ?? '';
  // Without a readable page the number of ads is unknown, not zero.
  const countOf = (count: number | null | undefined) => (count == null ? '–' : fmt.count(count));
  return (
    <tr>
      <td className={styles.when} title={fmt.dateTime(capture.createdDate)}>
        {fmt.ago(capture.createdDate, now)}
      </td>
      <td className={styles.term}>
        {capture.ads == null ? (
          capture.term
        ) : (
          <Link to="/terms/capture/$requestID" params={{ requestID: capture.requestID }} className={styles.open}>
            {capture.term}
          </Link>
        )}
      </td>
      <td className={styles.where}>
        <span className={styles.place}>
          {locale && <Flag code={country} label={locale} />}
          <EngineIcon engine={engine} />
          <span>{t(`market:engine.${engine}`, { defaultValue: engine })}</span>
          <DeviceIcon device={device} />
          <span>{t(`market:device.${device}`, { defaultValue: device })}</span>
        </span>
      </td>
      <td className={styles.state}>
        <StatusBadge tone={TONES[state] ?? 'busy'}>{t(`state.${state}`, { defaultValue: state })}</StatusBadge>
        {reason && <span className={styles.reason}>{t(`reason.${reason}`, { defaultValue: reason })}</span>}
      </td>
      <td className={styles.number} data-label={t('captures.text')}>
        {countOf(capture.ads)}
      </td>
      <td className={styles.number} data-label={t('captures.shopping')}>
        {countOf(capture.shopping)}
      </td>
    </tr>
  );
}
