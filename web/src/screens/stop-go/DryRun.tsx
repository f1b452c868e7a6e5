import { Loader, Slider } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { dryRunQuery, type Lane } from '~/api/queries/stopGo';
import { dayjs } from '~/lib/dates';
import { ErrorPanel } from '~/ui/feedback';
import { useFormats } from '~/ui/useFormats';
import styles from './StopGo.module.css';

const DAYS = 90;

/** What would have happened in the last 90 days, with a slider over the hours before a stop: the harm stands beside the saving. */
export function DryRun({ lane }: { lane: Lane }) {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const fmt = useFormats();
  // Whole hours: the same question within an hour has the same answer.
  const [until] = useState(() => dayjs().endOf('hour').toISOString());
  const from = dayjs(until).subtract(DAYS, 'day').toISOString();
  const { data, isError, refetch } = useQuery(dryRunQuery(lane.ID, from, until));
  const runs = data?.data ?? [];
  const usual = Math.max(
    0,
    runs.findIndex((run) => run.stopSpanHours === (data?.meta.stopSpanHours ?? 0)),
  );
  const [position, setPosition] = useState<number>();
  const run = runs[position ?? usual];
  const hours = (count: number) => t('hours', { count });
  const range = (low: number, high: number) => t('range', { low: fmt.decimal(low), high: fmt.decimal(high) });
  return (
    <section className={styles.card}>
      <h2>{t('dryRun')}</h2>
      <p className={styles.dim}>{t('dryRunText', { days: DAYS })}</p>
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader size="sm" />)}
      {data && run && (
        <>
          <Slider
            thumbLabel={t('span')}
            label={(place) => hours(runs[place]?.stopSpanHours ?? 0)}
            min={0}
            max={runs.length - 1}
            step={1}
            value={position ?? usual}
            onChange={setPosition}
            marks={runs.map(({ stopSpanHours }, place) => ({ value: place, label: String(stopSpanHours) }))}
          />
          <div className={styles.figures} aria-live="polite">
            <span className={styles.figure}>
              {t('stoppedTime')}
              <strong>{hours(Math.round(run.stoppedHours))}</strong>
              <span className={styles.dim}>
                {common('labelled', { label: t('toggles'), value: fmt.count(run.toggles) })}
              </span>
            </span>
            <span className={`${styles.figure} ${run.harmHours > 0 ? styles.harm : ''}`}>
              {t('harm')}
              <strong>{hours(Math.round(run.harmHours * 10) / 10)}</strong>
              <span className={styles.dim}>
                {common('labelled', { label: t('unseen'), value: hours(Math.round(run.unseenHours * 10) / 10) })}
              </span>
            </span>
            <span className={styles.figure}>
              {t('saving')}
              <strong>
                {run.savingLow === null || run.savingLow === undefined
                  ? '–'
                  : range(run.savingLow, run.savingHigh ?? run.savingLow)}
              </strong>
              <span className={styles.dim}>{t(run.savingLow === null ? 'savingNone' : 'savingTyped')}</span>
            </span>
          </div>
          <p className={styles.dim}>{t('basis', { count: data.meta.readings, unknown: data.meta.organicUnknown })}</p>
        </>
      )}
    </section>
  );
}
