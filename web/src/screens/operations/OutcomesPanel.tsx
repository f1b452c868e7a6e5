import { SegmentedControl } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { outcomesQuery, type Window } from '~/api/queries/operations';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { lazyPart } from '~/ui/lazyPart';
import styles from './Operations.module.css';
import { chartSpans, RUN_OUTCOMES, totalCounts } from './outcomes';

const OutcomesChart = lazyPart(() => import('./OutcomesChart').then((module) => module.OutcomesChart));

const WINDOWS: readonly Window[] = ['day', 'week', 'month'];
const ENGINES = ['google', 'bing'] as const;
const ALL = 'all';

/**
 * The chart of run outcomes, with a text summary for screen readers, for the engine (or all) and the time (day, week or month) chosen on the
 * panel; polled.
 */
export function OutcomesPanel() {
  const { t } = useTranslation(['operations', 'market']);
  const [window, setWindow] = useState<Window>('day');
  const [engine, setEngine] = useState<string>(ALL);
  const { data, isError, refetch, dataUpdatedAt } = useQuery(outcomesQuery(window));
  const spans = data && chartSpans(data.data, window, engine === ALL ? undefined : engine, new Date(dataUpdatedAt));
  const total = spans && totalCounts(spans);
  const isEmpty = total && RUN_OUTCOMES.every((outcome) => total[outcome] === 0);
  return (
    <section className={styles.card} aria-labelledby="outcomes">
      <div className={styles.cardHead}>
        <h2 id="outcomes" className={styles.cardTitle}>
          {t('chart.title')}
        </h2>
        <div className={styles.controls}>
          <SegmentedControl
            size="xs"
            aria-label={t('chart.engine')}
            value={engine}
            data={[
              { value: ALL, label: t('chart.all') },
              ...ENGINES.map((one) => ({ value: one, label: t(`market:engine.${one}`) })),
            ]}
            onChange={setEngine}
          />
          <SegmentedControl
            size="xs"
            aria-label={t('chart.window')}
            value={window}
            data={WINDOWS.map((one) => ({ value: one, label: t(`chart.${one}`) }))}
            onChange={(value) => setWindow(WINDOWS.find((one) => one === value) ?? 'day')}
          />
        </div>
      </div>
      {isError && !data && <ErrorPanel onRetry={() => refetch()} />}
      {isEmpty && <EmptyState icon={<IconChartBar size={26} />} title={t('chart.empty')} />}
      {spans && total && !isEmpty && (
        <figure className={styles.chart} aria-label={t('chart.summary', total)}>
          <OutcomesChart spans={spans} window={window} />
        </figure>
      )}
    </section>
  );
}
