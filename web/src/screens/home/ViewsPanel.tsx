import { IconChartAreaLine } from '@tabler/icons-react';

import { useTranslation } from 'react-i18next';
import type { Stats } from '~/api/queries/home';
import type { Period } from '~/lib/dates';
import { EmptyState } from '~/ui/feedback';
import { lazyPart } from '~/ui/lazyPart';
import { useFormats } from '~/ui/useFormats';
import { chartDays } from './figures';
import styles from './Home.module.css';

const ViewsChart = lazyPart(() => import('./ViewsChart').then((module) => module.ViewsChart));

interface Props {
  period: Period;
  now: Stats | undefined;
  before: Stats | undefined;
}

/** Views per day of the period, with its figures in words for those who do not see the chart. */
export function ViewsPanel({ period, now, before }: Props) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const summary = now && {
    views: now.meta.totalViews,
    start: fmt.date(period.span.start),
    end: fmt.date(period.days.at(-1) ?? ''),
    previous: before?.meta.totalViews ?? 0,
  };
  return (
    <section className={styles.card} aria-labelledby="views-per-day">
      <h2 id="views-per-day" className={styles.cardTitle}>
        {t('chart.title')}
      </h2>
      <div className={styles.chart}>
        {now && now.meta.totalViews === 0 && (
          <EmptyState icon={<IconChartAreaLine size={26} />} title={t('chart.empty')} />
        )}
        {now && summary && now.meta.totalViews > 0 && (
          <figure className={styles.figure} aria-label={t('chart.summary', summary)}>
            <ViewsChart days={chartDays(period, now, before)} />
          </figure>
        )}
      </div>
      {now?.meta.compared?.unfinishedDay && (
        <p className={styles.note}>{t('chart.running', { day: fmt.date(now.meta.compared.unfinishedDay) })}</p>
      )}
    </section>
  );
}
