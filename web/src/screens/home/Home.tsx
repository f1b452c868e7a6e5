import { SegmentedControl } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { statsQuery } from '~/api/queries/home';
import { dayjs, lastPeriod } from '~/lib/dates';
import { Coverage } from '~/list/Coverage';
import { ErrorPanel } from '~/ui/feedback';
import { Captures } from './Captures';
import styles from './Home.module.css';
import { Tiles } from './Tiles';
import { TopDomains } from './TopDomains';
import { ViewsPanel } from './ViewsPanel';

const PERIODS = [7, 30, 90] as const;
const DEFAULT_PERIOD = 30;

/** What was seen lately, and the captures it comes from. */
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
