import { SegmentedControl } from '@mantine/core';
import { IconChartAreaLine } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type Stats, statsQuery } from '~/api/queries/home';
import { isStaff, useMe } from '~/api/session';
import { dayjs, lastPeriod, type Period } from '~/lib/dates';
import { Coverage } from '~/list/Coverage';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { lazyPart } from '~/ui/lazyPart';
import { useFormats } from '~/ui/useFormats';
import { Captures } from './Captures';
import { changeOf, chartDays, shoppingShare } from './figures';
import styles from './Home.module.css';
import { TopDomains } from './TopDomains';

const StartPanel = lazyPart(() => import('./StartPanel').then((module) => module.StartPanel), { texts: ['start'] });
const ViewsChart = lazyPart(() => import('./ViewsChart').then((module) => module.ViewsChart));

const PERIODS = [7, 30, 90] as const;
const DEFAULT_PERIOD = 30;

/**
 * The dashboard: totals, chart and top domains of the last 7, 30 or 90 days (`days` in the address, 30 by default), and the latest captures. If
 * the totals cannot be loaded, an error panel replaces all but the captures.
 */
export function Home() {
  const { t } = useTranslation('home');
  const common = useTranslation('common').t;
  const navigate = useNavigate();
  const { days = DEFAULT_PERIOD } = useSearch({ from: '/' });
  const me = useMe();
  const today = dayjs().format('YYYY-MM-DD');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new day is a new period
  const period = useMemo(() => lastPeriod(days, dayjs()), [days, today]);

  const current = useQuery({ ...statsQuery(period.span, 'period'), placeholderData: keepPreviousData });
  const previous = useQuery({ ...statsQuery(period.span, 'previous'), placeholderData: keepPreviousData });

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
      {isStaff(me) && <StartPanel />}
      {current.isError ? (
        <section className={styles.card}>
          <ErrorPanel onRetry={() => current.refetch()} />
        </section>
      ) : (
        <>
          <Tiles current={current.data} previous={previous.data} />
          <div className={styles.split}>
            <ViewsPanel period={period} current={current.data} previous={previous.data} />
            <TopDomains span={period.span} />
          </div>
        </>
      )}
      <Captures />
    </div>
  );
}

interface TilesProps {
  current: Stats | undefined;
  previous: Stats | undefined;
}

/**
 * The totals of domains, ads and views and the share of shopping views, each with its relative change from the previous period unless that is
 * unknown or zero. Skeletons while `current` is undefined.
 */
function Tiles({ current, previous }: TilesProps) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const share = current && shoppingShare(current);
  const tiles = [
    {
      label: t('tile.domains'),
      value: current && fmt.count(current.meta.totalDomains),
      change: changeOf(current?.meta.totalDomains, previous?.meta.totalDomains),
    },
    {
      label: t('tile.ads'),
      value: current && fmt.count(current.meta.totalAds),
      change: changeOf(current?.meta.totalAds, previous?.meta.totalAds),
    },
    {
      label: t('tile.views'),
      value: current && fmt.count(current.meta.totalViews),
      change: changeOf(current?.meta.totalViews, previous?.meta.totalViews),
    },
    {
      label: t('tile.shopping'),
      value: share === undefined ? undefined : fmt.visibility(share * 100),
      change: changeOf(share, previous && shoppingShare(previous)),
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
  current: Stats | undefined;
  previous: Stats | undefined;
}

/**
 * The chart of views per day, with a text summary for screen readers and a note if the last day is unfinished. Without views it says so; empty
 * while `current` is undefined.
 */
function ViewsPanel({ period, current, previous }: ViewsPanelProps) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const summary = current && {
    views: current.meta.totalViews,
    start: fmt.date(period.span.start),
    end: fmt.date(period.days.at(-1) ?? ''),
    previous: previous?.meta.totalViews ?? 0,
  };
  return (
    <section className={styles.card} aria-labelledby="views-per-day">
      <h2 id="views-per-day" className={styles.cardTitle}>
        {t('chart.title')}
      </h2>
      <div className={styles.chart}>
        {current && current.meta.totalViews === 0 && (
          <EmptyState icon={<IconChartAreaLine size={26} />} title={t('chart.empty')} />
        )}
        {current && summary && current.meta.totalViews > 0 && (
          <figure className={styles.figure} aria-label={t('chart.summary', summary)}>
            <ViewsChart days={chartDays(period, current, previous)} />
          </figure>
        )}
      </div>
      {current?.meta.compared?.unfinishedDay && (
        <p className={styles.note}>{t('chart.running', { day: fmt.date(current.meta.compared.unfinishedDay) })}</p>
      )}
    </section>
  );
}
