import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { type Query, useIsFetching, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { reportBrandQuery } from '~/api/queries/report';
import { dayjs } from '~/lib/dates';
import { monthPeriod, within } from '~/lib/homePeriod';
import { type HomeSearch, homeFilters } from '~/lib/homeSearch';
import { readReportSearch } from '~/lib/reportSearch';
import { useFormats } from '~/ui/useFormats';
import { CasesPanel } from './CasesPanel';
import { CreativesPanel } from './CreativesPanel';
import shared from './Home.module.css';
import { NewcomersPanel } from './NewcomersPanel';
import { PresencePanel } from './PresencePanel';
import styles from './Report.module.css';
import { ReportFile } from './ReportFile';
import { Tiles } from './Tiles';
import { VoicePanel } from './VoicePanel';

/** What the report's figures are asked by. */
const isOfReport = ({ queryKey }: Query): boolean => ['home', 'coverage', 'report'].includes(String(queryKey[0]));

/** How far the figures are, which whoever prints the page by itself waits for: `loading`, `ready`, or `failed` when one could not be loaded. */
function useProgress(): 'loading' | 'ready' | 'failed' {
  const queries = useQueryClient();
  const waiting = useIsFetching({ predicate: isOfReport });
  if (waiting > 0) return 'loading';
  const all = queries.getQueryCache().findAll({ predicate: isOfReport, type: 'active' });
  if (all.some(({ state }) => state.status === 'error')) return 'failed';
  return all.length > 0 && all.every(({ state }) => state.status === 'success') ? 'ready' : 'loading';
}

/** The figures of the home page for one month and one brand or all (both in the address), to be printed. */
export function Report() {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const { brand, month } = readReportSearch(useSearch({ from: '/report' }));
  const { data } = useQuery({ ...reportBrandQuery(brand ?? 0), enabled: brand !== undefined });
  const label = brand === undefined ? t('report.all') : data;
  const name = label ?? `#${brand}`;
  const period = monthPeriod(month, dayjs());
  const search: HomeSearch =
    brand === undefined ? {} : { brandID: { type: 'inq', value: [brand], ...(label && { labels: [label] }) } };
  const filters = { ...within(period.span), ...homeFilters(search) };
  return (
    <article className={shared.home} data-print={useProgress()}>
      <header className={styles.heading}>
        <div>
          <h1 className={shared.title} tabIndex={-1}>
            {t('report.title', { brand: name })}
          </h1>
          <p className={styles.period}>
            {t('report.period', { start: fmt.date(period.span.start), end: fmt.date(period.span.end) })}
          </p>
        </div>
        <div className={styles.tools}>
          <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => window.print()}>
            {t('report.print')}
          </Button>
          <ReportFile month={dayjs(period.span.start).format('YYYY-MM')} brand={brand} />
        </div>
      </header>
      <Tiles search={search} filters={filters} />
      <div className={`${shared.grid} ${styles.sheet}`}>
        <VoicePanel search={search} period={period} filters={filters} whole />
        <NewcomersPanel filters={filters} />
        <PresencePanel filters={filters} />
        <CasesPanel search={search} filters={filters} />
        <CreativesPanel filters={filters} />
      </div>
    </article>
  );
}
