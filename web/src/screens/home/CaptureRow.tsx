import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Capture } from '~/api/queries/home';
import { Flag } from '~/ui/Flag';
import { DeviceIcon, EngineIcon, StatusBadge, type Tone } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import styles from './Captures.module.css';

/** How a slot's state looks; only its end is good or bad. */
const TONES: Readonly<Record<string, Tone>> = { verified: 'good', failed: 'bad', missed: 'warn' };

interface Props {
  capture: Capture;
  /** When the captures were asked for. */
  now: Date;
}

export function CaptureRow({ capture, now }: Props) {
  const { t } = useTranslation(['home', 'market']);
  const fmt = useFormats();
  const { engine, device, locale, state, reason } = capture;
  const country = locale?.split('_')[1] ?? '';
  const words = t as unknown as (key: string, options: { defaultValue: string }) => string;
  // States and reasons are the server's words: one it learns later is shown as it is.
  const known = (key: string, word: string) => words(key, { defaultValue: word });
  // No page was read: that is not 'no ads'.
  const counted = (count: number | null | undefined) => (count == null ? '–' : fmt.count(count));
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
          <span>{known(`market:engine.${engine}`, engine)}</span>
          <DeviceIcon device={device} />
          <span>{known(`market:device.${device}`, device)}</span>
        </span>
      </td>
      <td className={styles.state}>
        <StatusBadge tone={TONES[state] ?? 'busy'}>{known(`state.${state}`, state)}</StatusBadge>
        {reason && <span className={styles.reason}>{known(`reason.${reason}`, reason)}</span>}
      </td>
      <td className={styles.number} data-label={t('captures.text')}>
        {counted(capture.ads)}
      </td>
      <td className={styles.number} data-label={t('captures.shopping')}>
        {counted(capture.shopping)}
      </td>
    </tr>
  );
}
