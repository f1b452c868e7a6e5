import { SegmentedControl } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isStaff, useMe } from '~/api/session';
import { dayjs, lastPeriod } from '~/lib/dates';
import { within } from '~/lib/homePeriod';
import { DEFAULT_DAYS, HOME_DAYS, type HomeSearch, homeFilters, readHomeSearch } from '~/lib/homeSearch';
import type { ReportSearch } from '~/lib/reportSearch';
import { lazyPart } from '~/ui/lazyPart';
import styles from './Home.module.css';
import { NewcomersPanel } from './NewcomersPanel';
import { Tiles } from './Tiles';
import { VoicePanel } from './VoicePanel';

const StartPanel = lazyPart(() => import('./StartPanel').then((module) => module.StartPanel), { texts: ['start'] });
const DetectionFilters = lazyPart(
  () => import('~/monitoring/DetectionFilters').then((module) => module.DetectionFilters),
  {
    texts: ['monitoring', 'list'],
  },
);
const SinceMonday = lazyPart(() => import('./SinceMonday').then((module) => module.SinceMonday));
const LowerPanels = lazyPart(() => import('./LowerPanels').then((module) => module.LowerPanels));

/** The report of the brand, if exactly one is chosen. */
const reportOf = ({ brandID }: HomeSearch): ReportSearch =>
  brandID?.type === 'inq' && brandID.value.length === 1 ? { brand: Number(brandID.value[0]) } : {};

/**
 * The dashboard: what changed since last Monday, and the figures of the last 7, 30 or 90 days beside the time before, of a brand, a country, an engine or
 * a device (all in the address). Each figure leads to the list behind it.
 */
export function Home() {
  const { t } = useTranslation(['home', 'common']);
  const navigate = useNavigate();
  const search = readHomeSearch(useSearch({ from: '/' }));
  const { days = DEFAULT_DAYS } = search;
  const me = useMe();
  const period = lastPeriod(days, dayjs());
  const chosen = homeFilters(search);
  const go = (change: Record<string, unknown>) =>
    navigate({ to: '/', search: (all) => readHomeSearch({ ...all, ...change }), resetScroll: false });
  const filters = { ...within(period.span), ...chosen };
  return (
    <div className={styles.home}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {t('common:title.dashboard')}
        </h1>
        <DetectionFilters filters={chosen} onChange={(name, where) => go({ [name]: where })} />
        <span className={styles.versus}>{t('against', { count: days })}</span>
        <SegmentedControl
          aria-label={t('period')}
          value={String(days)}
          data={HOME_DAYS.map((length) => ({ value: String(length), label: t('days', { count: length }) }))}
          onChange={(value) => go({ days: value })}
        />
        <Link to="/report" search={reportOf(search)} className={styles.report}>
          <IconFileText size={16} aria-hidden />
          {t('report.open')}
        </Link>
      </header>
      {isStaff(me) && <StartPanel />}
      <SinceMonday search={search} />
      <Tiles search={search} filters={filters} />
      <div className={styles.grid}>
        <VoicePanel search={search} period={period} filters={filters} />
        <NewcomersPanel filters={filters} />
        <LowerPanels search={search} filters={filters} />
      </div>
    </div>
  );
}
