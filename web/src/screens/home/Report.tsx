import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { searchBrands } from '~/api/queries/choices';
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
import { Tiles } from './Tiles';
import { VoicePanel } from './VoicePanel';

/** The figures of the home page for one month and one brand or all (both in the address), to be printed. */
export function Report() {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const { brand, month } = readReportSearch(useSearch({ from: '/report' }));
  const { data: brands } = useQuery({
    queryKey: ['report', 'brands'],
    queryFn: ({ signal }) => searchBrands('', signal),
    enabled: brand !== undefined,
  });
  const label = brand === undefined ? t('report.all') : brands?.find(({ value }) => value === brand)?.label;
  const name = label ?? `#${brand}`;
  const period = monthPeriod(month, dayjs());
  const search: HomeSearch =
    brand === undefined ? {} : { brandID: { type: 'inq', value: [brand], ...(label && { labels: [label] }) } };
  const filters = { ...within(period.span), ...homeFilters(search) };
  return (
    <article className={shared.home}>
      <header className={styles.heading}>
        <div>
          <h1 className={shared.title} tabIndex={-1}>
            {t('report.title', { brand: name })}
          </h1>
          <p className={styles.period}>
            {t('report.period', { start: fmt.date(period.span.start), end: fmt.date(period.span.end) })}
          </p>
        </div>
        <Button
          className={styles.print ?? ''}
          leftSection={<IconPrinter size={16} aria-hidden />}
          onClick={() => window.print()}
        >
          {t('report.print')}
        </Button>
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
