import { Button, Loader, MultiSelect, SegmentedControl } from '@mantine/core';
import { DatePickerInput } from '@mantine/dates';
import { useDisclosure } from '@mantine/hooks';
import { IconChartLine, IconCloudDownload, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  googleDaysQuery,
  googleKey,
  googleKeywordsQuery,
  googleStatisticsQuery,
  purgeRows,
  STATISTICS_PAGE,
} from '~/api/queries/google';
import { dayjs } from '~/lib/dates';
import { ExportLink } from '~/list/ExportLink';
import { Calendars } from '~/ui/Calendars';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { lazyPart } from '~/ui/lazyPart';
import styles from './GoogleConnect.module.css';
import { USUAL_MONTHS } from './period';
import { rowKey, StatisticsTable } from './StatisticsTable';

const RetrieveModal = lazyPart(() => import('./RetrieveModal').then((module) => module.RetrieveModal));
const StatisticsChart = lazyPart(() => import('./StatisticsChart').then((module) => module.StatisticsChart));

const DAY = 'YYYY-MM-DD';

/** The figures of an account: chart and table of the chosen days and keywords, to be selected, purged and downloaded. */
export function Statistics({ id }: { id: number }) {
  const { t } = useTranslation('google');
  const [days, setDays] = useState<[string | null, string | null]>([
    dayjs().subtract(USUAL_MONTHS, 'month').format(DAY),
    dayjs().format(DAY),
  ]);
  const [keywords, setKeywords] = useState<string[]>([]);
  const [page, setPage] = useState(1);
  const [measure, setMeasure] = useState<'impressions' | 'clicks'>('impressions');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [purging, purge] = useDisclosure(false);
  const [retrieving, retrieval] = useDisclosure(false);
  const [startDate, endDate] = days;
  const filter = {
    startDate: startDate ?? endDate ?? dayjs().format(DAY),
    endDate: endDate ?? startDate ?? dayjs().format(DAY),
    keywords: keywords.map(Number),
  };
  const { data, isError, refetch } = useQuery(googleStatisticsQuery(id, filter, page));
  const { data: byDay } = useQuery(googleDaysQuery(id, filter));
  const { data: mapped } = useQuery(googleKeywordsQuery(id, 'link'));
  const change = (act: () => void) => {
    act();
    setPage(1);
    setSelected(new Set());
  };
  const rows = data?.rows ?? [];
  const chosen = rows.filter((row) => selected.has(rowKey(row)));
  const toggle = (keys: readonly string[], on: boolean) => {
    const next = new Set(selected);
    for (const key of keys)
      if (on) next.add(key);
      else next.delete(key);
    setSelected(next);
  };
  const last = Math.max(1, Math.ceil((data?.total ?? 0) / STATISTICS_PAGE));
  // A purge may take the last page away.
  useEffect(() => {
    if (data && page > last) setPage(last);
  }, [data, page, last]);
  return (
    <section className={styles.panel} aria-labelledby="google-statistics">
      <div className={styles.panelHead}>
        <h2 id="google-statistics" className={styles.panelTitle}>
          {t('statistics.title')}
        </h2>
        {data && <span className={styles.dim}>{t('statistics.rows', { count: data.total })}</span>}
        <span className={styles.buttons}>
          {data?.exportCsv && <ExportLink href={data.exportCsv} name="google-statistics" compact />}
          <Button
            variant="default"
            c={chosen.length > 0 ? 'var(--bad)' : undefined}
            leftSection={<IconTrash size={16} />}
            disabled={chosen.length === 0}
            onClick={purge.open}
          >
            {chosen.length > 0 ? t('statistics.purgeSelected', { count: chosen.length }) : t('purgeDatas')}
          </Button>
          <Button leftSection={<IconCloudDownload size={16} />} onClick={retrieval.open}>
            {t('retrieveDatas')}
          </Button>
        </span>
      </div>
      <div className={styles.filters}>
        <Calendars>
          <DatePickerInput
            type="range"
            aria-label={t('statistics.dates')}
            valueFormat="DD/MM/YYYY"
            value={days}
            maxDate={dayjs().format(DAY)}
            onChange={(value) => change(() => setDays(value))}
          />
        </Calendars>
        <MultiSelect
          aria-label={t('statistics.keywords')}
          placeholder={keywords.length === 0 ? t('statistics.keywords') : ''}
          data={(mapped ?? []).map(({ ID, content, localization }) => ({
            value: String(ID),
            label: `${content} · ${localization.ISO2}`,
          }))}
          value={keywords}
          onChange={(value) => change(() => setKeywords(value))}
          searchable
          clearable
          className={styles.keywordFilter}
        />
        <SegmentedControl
          aria-label={t('statistics.measure')}
          className={styles.end}
          value={measure}
          onChange={(value) => setMeasure(value === 'clicks' ? 'clicks' : 'impressions')}
          data={[
            { value: 'impressions', label: t('column.impressions') },
            { value: 'clicks', label: t('column.clicks') },
          ]}
        />
      </div>
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {data?.total === 0 && (
        <EmptyState icon={<IconChartLine size={26} />} title={t('statistics.none')} text={t('statistics.noneText')} />
      )}
      {data && data.total > 0 && (
        <>
          {byDay && (
            <figure className={styles.chart} aria-label={t('statistics.chart')}>
              <StatisticsChart days={byDay} measure={measure} />
            </figure>
          )}
          <StatisticsTable rows={rows} selected={selected} onSelect={toggle} />
          <footer className={styles.foot}>
            <span className={styles.dim}>{t('statistics.withheld')}</span>
            <span className={styles.pager}>
              <span className={styles.dim}>
                {t('statistics.range', {
                  from: (page - 1) * STATISTICS_PAGE + 1,
                  to: Math.min(page * STATISTICS_PAGE, data.total),
                  total: data.total,
                })}
              </span>
              <Button variant="default" size="xs" disabled={page <= 1} onClick={() => setPage(page - 1)}>
                {t('statistics.previous')}
              </Button>
              <Button variant="default" size="xs" disabled={page >= last} onClick={() => setPage(page + 1)}>
                {t('statistics.next')}
              </Button>
            </span>
          </footer>
        </>
      )}
      {purging && (
        <ConfirmModal
          danger
          title={t('statistics.purgeTitle')}
          text={t('statistics.purgeText', { count: chosen.length })}
          confirm={t('purgeDatas')}
          act={async () => {
            await purgeRows(id, chosen);
            setSelected(new Set());
          }}
          done={t('purged')}
          failed={t('purgeFailed')}
          changes={[googleKey]}
          onClose={purge.close}
        />
      )}
      {retrieving && <RetrieveModal id={id} onClose={retrieval.close} />}
    </section>
  );
}
