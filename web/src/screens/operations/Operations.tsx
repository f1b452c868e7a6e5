import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { overviewQuery } from '~/api/queries/operations';
import { ErrorPanel } from '~/ui/feedback';
import { Live } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import { Acts } from './Acts';
import { Engines } from './Engines';
import { Jobs } from './Jobs';
import styles from './Operations.module.css';
import { OutcomesPanel } from './OutcomesPanel';
import { Reviews } from './Reviews';
import { Schedules } from './Schedules';
import { Tiles } from './Tiles';

const TABS = { reviews: Reviews, schedules: Schedules, jobs: Jobs, acts: Acts } as const;
type Tab = keyof typeof TABS;
const NAMES = Object.keys(TABS) as Tab[];

/** How the work goes and what needs an administrator, as it is now. */
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
