import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type Overview, overviewQuery } from '~/api/queries/operations';
import { PlanNotice } from '~/monitoring/PlanNotice';
import { ErrorPanel } from '~/ui/feedback';
import { Live } from '~/ui/indicators';
import { lazyPart } from '~/ui/lazyPart';
import { useFormats } from '~/ui/useFormats';
import { Engines } from './Engines';
import styles from './Operations.module.css';
import { OutcomesPanel } from './OutcomesPanel';
import { Reviews } from './Reviews';

const Capacity = lazyPart(() => import('./Capacity').then((module) => module.Capacity));
const Schedules = lazyPart(() => import('./Schedules').then((module) => module.Schedules));
const Jobs = lazyPart(() => import('./Jobs').then((module) => module.Jobs));
const ActivityLog = lazyPart(() => import('./ActivityLog').then((module) => module.ActivityLog));
const PersonalData = lazyPart(() => import('./PersonalData').then((module) => module.PersonalData));
const Outreach = lazyPart(() => import('~/monitoring/runs/Outreach').then((module) => module.Outreach));

const TABS = {
  reviews: Reviews,
  capacity: Capacity,
  schedules: Schedules,
  outreach: Outreach,
  jobs: Jobs,
  acts: ActivityLog,
  privacy: PersonalData,
} as const;
type Tab = keyof typeof TABS;
const NAMES = Object.keys(TABS) as Tab[];

/**
 * The operations page: tiles, the chart of outcomes and the engines, polled while it is open, and below them the tab that `tab` in the address
 * names (reviews by default).
 */
export function Operations() {
  const { t } = useTranslation('operations');
  const common = useTranslation('common').t;
  const fmt = useFormats();
  const navigate = useNavigate();
  const { tab = 'reviews' } = useSearch({ from: '/operations' });
  const { data, isError, refetch } = useQuery(overviewQuery);
  return (
    <div className={styles.operations}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.operations')}
        </h1>
        {!isError && <Live label={t('live')} title={data && t('updated', { ago: fmt.dateTime(data.asOf) })} />}
      </header>
      <PlanNotice />
      {isError && !data ? (
        <section className={styles.card}>
          <ErrorPanel onRetry={() => refetch()} />
        </section>
      ) : (
        <>
          <Tiles overview={data} />
          <div className={styles.split}>
            <OutcomesPanel />
            <Engines overview={data} />
          </div>
        </>
      )}
      <section className={styles.card}>
        <Tabs
          value={tab}
          keepMounted={false}
          onChange={(chosen) => {
            const next = NAMES.find((name) => name === chosen);
            if (next) void navigate({ to: '/operations', search: { tab: next }, replace: true });
          }}
        >
          <Tabs.List aria-label={t('tabs')} className={styles.tabs}>
            {NAMES.map((name) => (
              <Tabs.Tab key={name} value={name}>
                {t(`tab.${name}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {NAMES.map((name) => {
            const Panel = TABS[name];
            return (
              <Tabs.Panel key={name} value={name} pt="md">
                <Panel />
              </Tabs.Panel>
            );
          })}
        </Tabs>
      </section>
    </div>
  );
}

/** The server stops counting here. */
const MAX_COUNT = 1_000;

/**
 * The tiles of the queue, the captures and failures of the last hour over all engines, and the captures to review, which the server counts only up
 * to `MAX_COUNT` per kind. Skeletons while `overview` is undefined.
 */
function Tiles({ overview }: { overview: Overview | undefined }) {
  const { t } = useTranslation('operations');
  const fmt = useFormats();
  const { queue, open } = overview ?? {};
  const hours = overview?.engines.map(({ lastHour }) => lastHour) ?? [];
  const sum = (of: (hour: (typeof hours)[number]) => number) => hours.reduce((total, hour) => total + of(hour), 0);
  const captured = sum(({ results, doubtful }) => results + doubtful);
  const failed = sum((hour) => hour.failed);
  const toReview = open && open.doubtful + open.quarantined + open.failed;
  const capped = open && Math.max(open.doubtful, open.quarantined, open.failed) >= MAX_COUNT;
  const tiles = [
    {
      label: t('tile.waiting'),
      value: queue && fmt.count(queue.waiting),
      note: queue && (queue.waiting > 0 ? t('oldest', { span: fmt.span(queue.oldestWaitSeconds) }) : t('nothingWaits')),
    },
    { label: t('tile.underWay'), value: queue && fmt.count(queue.underWay) },
    { label: t('tile.later'), value: queue && fmt.count(queue.later) },
    {
      label: t('tile.hour'),
      value: overview && fmt.count(captured),
      note: captured + failed > 0 ? t('failedShare', { share: fmt.share(failed / (captured + failed)) }) : '',
      bad: failed > captured,
    },
    {
      label: t('tile.look'),
      value: toReview === undefined ? undefined : capped ? t('many') : fmt.count(toReview),
      bad: (toReview ?? 0) > 0,
    },
  ];
  return (
    <ul className={styles.tiles}>
      {tiles.map(({ label, value, note, bad }) => (
        <li key={label} className={styles.tile}>
          <span className={styles.label}>{label}</span>
          {value === undefined ? (
            <span className={styles.skeleton} />
          ) : (
            <strong className={styles.value} data-bad={bad || undefined}>
              {value}
            </strong>
          )}
          {note && <span className={styles.tileNote}>{note}</span>}
        </li>
      ))}
    </ul>
  );
}
