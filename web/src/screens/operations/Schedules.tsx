import { Pagination, Switch, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCalendarOff, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { schedulesQuery } from '~/api/queries/operations';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { ScheduleRow } from './ScheduleRow';
import table from './Table.module.css';

/** How long somebody may pause while typing before the list follows. */
const TYPING_MS = 300;

/** When every enabled term runs on each of its devices, and how that went. */
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
    <div className={table.panel}>
      <div className={table.controls}>
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
        <span className={table.total}>{data && t('schedule.total', { count: total })}</span>
      </div>
      {isError && !data && <ErrorPanel onRetry={() => refetch()} />}
      {data && total === 0 && <EmptyState icon={<IconCalendarOff size={26} />} title={t('schedule.none')} />}
      {data && total > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
        <section className={table.scroll} aria-label={t('tab.schedules')} tabIndex={0}>
          <table className={table.table}>
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
