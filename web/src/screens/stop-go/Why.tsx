import { Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ParseKeys } from 'i18next';
import { useTranslation } from 'react-i18next';
import { type Lane, type LaneDecision, laneDecisionsQuery } from '~/api/queries/stopGo';
import { ErrorPanel } from '~/ui/feedback';
import { DeviceIcon } from '~/ui/marketIcons';
import { useFormats } from '~/ui/useFormats';
import { isLaneState } from './LaneState';
import styles from './StopGo.module.css';

/** Captures of one entry that are shown. */
const MOST_SHOWN = 8;

interface NamedReading {
  capture: string;
  device: string;
  at: string;
  verdict: string;
  rivals?: string[];
  isKept?: boolean;
}

const readingsOf = (decision: LaneDecision) => decision.readings as unknown as NamedReading[];

/** Why a lane is as it is: what was decided, last first, in sentences with links to the captures. */
export function Why({ lane }: { lane: Lane }) {
  const { t } = useTranslation('stopGo');
  const { data, isError, refetch } = useQuery(laneDecisionsQuery(lane.ID));
  return (
    <section className={styles.card}>
      <h2>{t('why')}</h2>
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader size="sm" />)}
      {data?.length === 0 && <p className={styles.dim}>{t('noDecisions')}</p>}
      <ul className={styles.log}>
        {data?.map((decision) => (
          <Entry key={decision.ID} decision={decision} />
        ))}
      </ul>
    </section>
  );
}

function Entry({ decision }: { decision: LaneDecision }) {
  const { t } = useTranslation(['stopGo', 'market']);
  const fmt = useFormats();
  const name = (device: string) => t(`market:device.${device as 'mobile'}`, { defaultValue: device });
  return (
    <li>
      <p>
        <span className={styles.dim}>{fmt.minute(decision.at)}</span> <Sentence decision={decision} />
      </p>
      <div className={styles.captures}>
        {readingsOf(decision)
          .slice(0, MOST_SHOWN)
          .map(({ capture, device, at, isKept }) => (
            <span key={capture} className={styles.place}>
              <DeviceIcon device={device} size={14} />
              {isKept ? (
                <Link className={styles.link} to="/terms/capture/$requestID" params={{ requestID: capture }}>
                  {t('capture', { device: name(device), date: fmt.minute(at) })}
                </Link>
              ) : (
                <span className={styles.dim}>{t('captureGone', { device: name(device), date: fmt.minute(at) })}</span>
              )}
            </span>
          ))}
      </div>
    </li>
  );
}

/** One decision as a sentence. */
function Sentence({ decision }: { decision: LaneDecision }) {
  const { t, i18n } = useTranslation('stopGo');
  const fmt = useFormats();
  const rivals = [...new Set(readingsOf(decision).flatMap((reading) => reading.rivals ?? []))];
  const rule = `rule.${decision.rule}`;
  const why = i18n.exists(rule, { ns: 'stopGo' })
    ? t(rule as ParseKeys<'stopGo'>, { rivals: fmt.list(rivals) })
    : decision.rule;
  const person = decision.person ?? t('sentence.somebody');
  const state = isLaneState(decision.to) ? t(`state.${decision.to}`) : decision.to;
  switch (decision.action) {
    case 'stop':
      return <>{t('sentence.stop', { why })}</>;
    case 'go':
      return <>{t('sentence.go', { why })}</>;
    case 'propose':
      return <>{t('sentence.propose', { why })}</>;
    case 'approve':
      return <>{t('sentence.approve', { person })}</>;
    case 'exclude':
      return <>{t('sentence.exclude', { person })}</>;
    case 'include':
      return <>{t('sentence.include', { person })}</>;
    case 'resume':
      return <>{t('sentence.resume', { person })}</>;
    case 'refused':
      return <>{t('sentence.refused', { detail: decision.detail ?? '' })}</>;
    default:
      return <>{t('sentence.keep', { state, why })}</>;
  }
}
