import { SegmentedControl } from '@mantine/core';
import { IconChartAreaLine } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Stats, statsQuery } from '~/api/queries/home';
import { dayjs } from '~/lib/dates';
import { lastPeriod, type Period } from '~/lib/period';
import { Coverage } from '~/list/coverage/Coverage';
import { EmptyState } from '~/ui/EmptyState';
import { ErrorPanel } from '~/ui/ErrorPanel';
import { lazyPart } from '~/ui/lazyPart';
import { useFormats } from '~/ui/useFormats';
import { Captures } from './Captures';
import { changeOf, chartDays, shoppingShare } from './figures';
import styles from './Home.module.css';
import { TopDomains } from './TopDomains';

const ViewsChart = lazyPart(() => import('./ViewsChart').then((module) => module.ViewsChart));

const PERIODS = [7, 30, 90] as const;
const DEFAULT_PERIOD = 30;

/** The figures of the last days and the latest captures. */
export function Home() {
  const { t } = useTranslation('home');
  const common = useTranslation('common').t;
  const navigate = useNavigate();
  const { days = DEFAULT_PERIOD } = useSearch({ from: '/' });
  const today = dayjs().format('YYYY-MM-DD');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new day is a new period
  const period = useMemo(() => lastPeriod(days, dayjs()), [days, today]);

  const now = useQuery({ ...statsQuery(period.span, 'period'), placeholderData: keepPreviousData });
  const before = useQuery({ ...statsQuery(period.span, 'previous'), placeholderData: keepPreviousData });

  return (
    <div className={styles.home}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.dashboard')}
        </h1>
        <Coverage filters={{ date: { type: 'between', value: period.span } }} />
        <SegmentedControl
          aria-label={t('period')}
          value={String(days)}
          data={PERIODS.map((length) => ({ value: String(length), label: t('days', { count: length }) }))}
          onChange={(value) =>
            navigate({ to: '/', search: (all) => ({ ...all, days: PERIODS.find((one) => String(one) === value) }) })
          }
        />
      </header>
      {now.isError ? (
        <section className={styles.card}>
          <ErrorPanel onRetry={() => now.refetch()} />
        </section>
      ) : (
        <>
          <Tiles now={now.data} before={before.data} />
          <div className={styles.split}>
            <ViewsPanel period={period} now={now.data} before={before.data} />
            <TopDomains span={period.span} />
          </div>
        </>
      )}
      <Captures />
    </div>
  );
}

interface TilesProps {
  now: Stats | undefined;
  before: Stats | undefined;
}

/** The totals of the period, each compared with the previous period. */
function Tiles({ now, before }: TilesProps) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const share = now && shoppingShare(now);
  const tiles = [
    {
      label: t('tile.domains'),
      value: now && fmt.count(now.meta.totalDomains),
      change: changeOf(now?.meta.totalDomains, before?.meta.totalDomains),
    },
    {
      label: t('tile.ads'),
      value: now && fmt.count(now.meta.totalAds),
      change: changeOf(now?.meta.totalAds, before?.meta.totalAds),
    },
    {
      label: t('tile.views'),
      value: now && fmt.count(now.meta.totalViews),
      change: changeOf(now?.meta.totalViews, before?.meta.totalViews),
    },
    {
      label: t('tile.shopping'),
      value: share === undefined ? undefined : fmt.visibility(share * 100),
      change: changeOf(share, before && shoppingShare(before)),
    },
  ];
  return (
    <ul className={styles.tiles}>
      {tiles.map(({ label, value, change }) => (
        <li key={label} className={styles.tile}>
          <span className={styles.label}>{label}</span>
          {value === undefined ? (
            <span className={styles.skeleton} />
          ) : (
            <strong className={styles.value}>{value}</strong>
          )}
          {change !== undefined && (
            <span className={styles.change} data-up={change >= 0}>
              {fmt.change(change)}
              <span className="visually-hidden"> {t('versus')}</span>
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

interface ViewsPanelProps {
  period: Period;
  now: Stats | undefined;
  before: Stats | undefined;
}

/** The chart of views per day, with a text summary for screen readers. */
function ViewsPanel({ period, now, before }: ViewsPanelProps) {
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
