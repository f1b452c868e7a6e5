import { Pagination, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCalendarOff, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Schedule, schedulesQuery } from '~/api/queries/operations';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { StatusBadge, type Tone } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import styles from './Operations.module.css';
import { SearchPlace } from './SearchPlace';

/** The debounce of the search field. */
const TYPING_MS = 300;

/**
 * The enabled terms on each of their devices, with interval, next and last run and the failures of the last seven days; paged and polled. A search
 * field filters by term, a switch keeps only those with failures; changing either returns to the first page.
 */
export function Schedules() {
  const { t } = useTranslation('operations');
  const [text, setText] = useState('');
  const [query] = useDebouncedValue(text.trim(), TYPING_MS);
  const [failing, setFailing] = useState(false);
  const [page, setPage] = useState(1);
  const { data, isError, refetch, dataUpdatedAt } = useQuery(schedulesQuery({ query, failing, page }));
  const total = data?.meta.total ?? 0;
  const pages = data ? Math.ceil(total / data.meta.size) : 0;
  return (
    <div className={styles.tablePanel}>
      <div className={styles.tableControls}>
        <TextInput
          type="search"
          aria-label={t('schedule.search')}
          placeholder={t('schedule.search')}
          leftSection={<IconSearch size={16} />}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            setPage(1);
          }}
        />
        <Switch
          label={t('schedule.failing')}
          checked={failing}
          onChange={(event) => {
            setFailing(event.currentTarget.checked);
            setPage(1);
          }}
        />
        <span className={styles.total}>{data && t('schedule.total', { count: total })}</span>
      </div>
      {isError && !data && <ErrorPanel onRetry={() => refetch()} />}
      {data && total === 0 && <EmptyState icon={<IconCalendarOff size={26} />} title={t('schedule.none')} />}
      {data && total > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
        <section className={styles.scroll} aria-label={t('tab.schedules')} tabIndex={0}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{t('schedule.term')}</th>
                <th scope="col">{t('schedule.place')}</th>
                <th scope="col">{t('schedule.every')}</th>
                <th scope="col">{t('schedule.next')}</th>
                <th scope="col">{t('schedule.last')}</th>
                <th scope="col">{t('schedule.failures')}</th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((schedule) => (
                <ScheduleRow
                  key={`${schedule.termID}:${schedule.device}`}
                  schedule={schedule}
                  now={new Date(dataUpdatedAt)}
                />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {pages > 1 && (
        <Pagination
          value={page}
          total={pages}
          onChange={setPage}
          size="sm"
          getItemProps={(number) => ({ 'aria-label': t('schedule.page', { page: number }) })}
          getControlProps={(control) => ({
            'aria-label': t(control === 'previous' ? 'schedule.previous' : 'schedule.following'),
          })}
        />
      )}
    </div>
  );
}

const TONES: Readonly<Record<string, Tone>> = { verified: 'good', failed: 'bad', missed: 'warn' };
const SECOND_MS = 1_000;

interface ScheduleRowProps {
  schedule: Schedule;
  /** When the list was loaded. */
  now: Date;
}

/** A term on a device as a table row, times relative to `now`. The last run links to its captured page only if it is verified. */
function ScheduleRow({ schedule, now }: ScheduleRowProps) {
  const { t } = useTranslation(['operations', 'home']);
  const fmt = useFormats();
  const { term, brand, every, nextRun, lastRun, runs, failures, missed } = schedule;
  return (
    <tr>
      <th scope="row" className={styles.lead}>
        {term}
        {brand && <span className={styles.under}>{brand}</span>}
      </th>
      <td>
        <SearchPlace {...schedule} />
      </td>
      <td data-label={t('schedule.every')}>{fmt.span(every / SECOND_MS)}</td>
      <td data-label={t('schedule.next')} title={fmt.dateTime(nextRun)}>
        {fmt.ago(nextRun, now)}
      </td>
      <td data-label={t('schedule.last')}>
        {lastRun ? (
          <span className={styles.pair}>
            <StatusBadge tone={TONES[lastRun.state] ?? 'busy'}>
              {t(`home:state.${lastRun.state}`, { defaultValue: lastRun.state })}
            </StatusBadge>
            {lastRun.state === 'verified' ? (
              <Link
                to="/terms/capture/$requestID"
                params={{ requestID: lastRun.requestID }}
                className={styles.link}
                title={fmt.dateTime(lastRun.date)}
              >
                {fmt.ago(lastRun.date, now)}
              </Link>
            ) : (
              <span title={fmt.dateTime(lastRun.date)}>{fmt.ago(lastRun.date, now)}</span>
            )}
            {lastRun.reason && (
              <span className={styles.dim}>{t(`home:reason.${lastRun.reason}`, { defaultValue: lastRun.reason })}</span>
            )}
          </span>
        ) : (
          t('schedule.never')
        )}
      </td>
      <td data-label={t('schedule.failures')}>
        {failures > 0 ? (
          <strong className={styles.bad}>{t('schedule.of', { failures, runs })}</strong>
        ) : (
          <span className={styles.dim}>{t('schedule.fine', { runs })}</span>
        )}
        {missed > 0 && <span className={styles.under}>{t('schedule.missed', { missed })}</span>}
      </td>
    </tr>
  );
}
