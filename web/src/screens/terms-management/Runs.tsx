import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { SettingTermRow } from '~/api/queries/settingTerms';
import { type TermRuns, termRunsQuery } from '~/api/queries/termRuns';
import { StatusBadge, type Tone } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import styles from './SettingTerms.module.css';

type LastRun = NonNullable<TermRuns['lastRun']>;

/** The run that ended last, on whatever device. */
const newest = (runs: readonly TermRuns[]): LastRun | undefined =>
  runs
    .flatMap(({ lastRun }) => lastRun ?? [])
    .reduce<LastRun | undefined>((last, run) => (last && last.date >= run.date ? last : run), undefined);

/** The earliest of the next runs. */
const earliest = (runs: readonly TermRuns[]): string | undefined =>
  runs
    .flatMap(({ nextRun }) => nextRun ?? [])
    .reduce<string | undefined>((next, run) => (next && next <= run ? next : run), undefined);

/** How a term's last run ended, with a link to its capture, and when it runs next. */
export function Runs({ row }: { row: SettingTermRow }) {
  const { t } = useTranslation('settingTerms');
  const fmt = useFormats();
  const { data, isError, dataUpdatedAt } = useQuery(termRunsQuery(row.termId));
  if (isError) return <span className={styles.none}>{t('run.unknown')}</span>;
  if (!data) return <span className={styles.none}>…</span>;
  const now = new Date(dataUpdatedAt);
  const [last, next] = [newest(data), earliest(data)];
  return (
    <span className={styles.runs}>
      {last ? <Ended run={last} now={now} /> : <span className={styles.none}>{t('run.never')}</span>}
      {data.some(({ isUnderWay }) => isUnderWay) ? (
        <span className={styles.next}>{t('run.now')}</span>
      ) : (
        next && (
          <span className={styles.next} title={fmt.dateTime(next)}>
            {t('run.next', { when: fmt.ago(next, now) })}
          </span>
        )
      )}
    </span>
  );
}

/** The tone of a run by how it ended. */
function toneOf({ state, verdict }: LastRun): Tone {
  if (state === 'failed') return 'bad';
  return state === 'missed' || verdict === 'doubtful' ? 'warn' : 'good';
}

/** A run that ended; one whose page is stored links to it. */
function Ended({ run, now }: { run: LastRun; now: Date }) {
  const { t } = useTranslation(['settingTerms', 'home']);
  const fmt = useFormats();
  const isStored = run.state === 'verified';
  const verdict = isStored
    ? run.verdict === 'doubtful'
      ? t('run.doubtful')
      : t('run.ads', { count: run.ads ?? 0 })
    : t(`home:state.${run.state}`, { defaultValue: run.state });
  const reason = run.reason && t(`home:reason.${run.reason}`, { defaultValue: run.reason });
  const title = [fmt.dateTime(run.date), reason].filter(Boolean).join(' · ');
  const badge = <StatusBadge tone={toneOf(run)}>{verdict}</StatusBadge>;
  const ago = fmt.ago(run.date, now);
  return (
    <span className={styles.ended} title={title}>
      {isStored ? (
        <Link
          to="/terms/capture/$requestID"
          params={{ requestID: run.requestID }}
          aria-label={`${verdict} · ${ago}`}
          className={styles.capture}
        >
          {badge}
        </Link>
      ) : (
        badge
      )}
    </span>
  );
}
