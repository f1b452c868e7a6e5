import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Schedule } from '~/api/queries/operations';
import { StatusBadge, type Tone } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import { Place } from './Place';
import table from './Table.module.css';
import { useKnownWords } from './words';

const TONES: Readonly<Record<string, Tone>> = { verified: 'good', failed: 'bad', missed: 'warn' };
const SECOND_MS = 1_000;

interface Props {
  schedule: Schedule;
  /** When the list was asked for. */
  now: Date;
}

/** A term on a device: its rhythm, its last run, and what failed lately. */
export function ScheduleRow({ schedule, now }: Props) {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const known = useKnownWords();
  const { term, brand, every, nextRun, lastRun, runs, failures, missed } = schedule;
  return (
    <tr>
      <th scope="row" className={table.lead}>
        {term}
        {brand && <span className={table.under}>{brand}</span>}
      </th>
      <td>
        <Place {...schedule} />
      </td>
      <td data-label={t('schedule.every')}>{fmt.span(every / SECOND_MS)}</td>
      <td data-label={t('schedule.next')} title={fmt.dateTime(nextRun)}>
        {fmt.ago(nextRun, now)}
      </td>
      <td data-label={t('schedule.last')}>
        {lastRun ? (
          <span className={table.pair}>
            <StatusBadge tone={TONES[lastRun.state] ?? 'busy'}>
              {known(`home:state.${lastRun.state}`, lastRun.state)}
            </StatusBadge>
            {lastRun.state === 'verified' ? (
              <Link
                to="/terms/capture/$requestID"
                params={{ requestID: lastRun.requestID }}
                className={table.link}
                title={fmt.dateTime(lastRun.date)}
              >
                {fmt.ago(lastRun.date, now)}
              </Link>
            ) : (
              <span title={fmt.dateTime(lastRun.date)}>{fmt.ago(lastRun.date, now)}</span>
            )}
            {lastRun.reason && (
              <span className={table.dim}>{known(`home:reason.${lastRun.reason}`, lastRun.reason)}</span>
            )}
          </span>
        ) : (
          t('schedule.never')
        )}
      </td>
      <td data-label={t('schedule.failures')}>
        {failures > 0 ? (
          <strong className={table.bad}>{t('schedule.of', { failures, runs })}</strong>
        ) : (
          <span className={table.dim}>{t('schedule.fine', { runs })}</span>
        )}
        {missed > 0 && <span className={table.under}>{t('schedule.missed', { missed })}</span>}
      </td>
    </tr>
  );
}
