import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type Job, jobsQuery } from '~/api/queries/operations';
import { ErrorPanel } from '~/ui/feedback';
import { StatusBadge, type Tone } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import styles from './Operations.module.css';

/** The scheduled jobs with their calendar, next and last run, and failures of the last 90 days; polled. */
export function Jobs() {
  const { t } = useTranslation('operations');
  const { data, isError, refetch, dataUpdatedAt } = useQuery(jobsQuery);
  if (isError && !data) return <ErrorPanel onRetry={() => refetch()} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className={styles.scroll} aria-label={t('tab.jobs')} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('job.job')}</th>
            <th scope="col">{t('job.calendar')}</th>
            <th scope="col">{t('job.next')}</th>
            <th scope="col">{t('job.last')}</th>
            <th scope="col">{t('job.failures')}</th>
          </tr>
        </thead>
        <tbody>
          {data?.data.map((job) => (
            <JobRow key={job.job} job={job} now={new Date(dataUpdatedAt)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const TONES: Readonly<Record<string, Tone>> = { done: 'good', failed: 'bad', interrupted: 'warn' };

/** A job as a table row. A last run without an outcome is under way; without a last run it has never run. */
function JobRow({ job: { job, calendar, nextRun, lastRun, failures }, now }: { job: Job; now: Date }) {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const outcome = lastRun?.outcome;
  return (
    <tr>
      <th scope="row" className={styles.lead}>
        {t(`job.name.${job}`, { defaultValue: job })}
        {lastRun?.detail && <span className={styles.under}>{lastRun.detail}</span>}
      </th>
      <td className={styles.dim} data-label={t('job.calendar')}>
        <code>{calendar}</code>
      </td>
      <td data-label={t('job.next')} title={nextRun ? fmt.dateTime(nextRun) : undefined}>
        {nextRun ? fmt.ago(nextRun, now) : '–'}
      </td>
      <td data-label={t('job.last')}>
        {lastRun ? (
          <span className={styles.pair}>
            <StatusBadge tone={outcome ? (TONES[outcome] ?? 'busy') : 'busy'}>
              {outcome ? t(`job.outcome.${outcome}`, { defaultValue: outcome }) : t('job.underWay')}
            </StatusBadge>
            <span title={fmt.dateTime(lastRun.started)}>{fmt.ago(lastRun.started, now)}</span>
          </span>
        ) : (
          t('job.never')
        )}
      </td>
      <td data-label={t('job.failures')} className={failures > 0 ? styles.bad : styles.dim}>
        {failures > 0 ? t('job.failed', { count: failures }) : t('job.fine')}
      </td>
    </tr>
  );
}
