import { IconRefresh, IconSparkles } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { newcomersQuery } from '~/api/queries/home';
import { only } from '~/lib/homeSearch';
import type { ListSearch } from '~/lib/listSearch';
import { lazyPart } from '~/ui/lazyPart';
import { useFormats } from '~/ui/useFormats';
import shared from './Home.module.css';
import styles from './Newcomers.module.css';
import { Card, Change, FigureLink } from './parts';

const WeeksChart = lazyPart(() => import('./WeeksChart').then((module) => module.WeeksChart));

/** New and returning advertisers of the period, by week, with those on most terms. */
export function NewcomersPanel({ filters }: { filters: ListSearch['filters'] }) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const { data, isError, refetch } = useQuery({ ...newcomersQuery(filters), placeholderData: keepPreviousData });
  return (
    <Card
      id="newcomers"
      title={t('newcomers.title')}
      className={styles.newcomers}
      failed={isError && !data}
      onRetry={() => refetch()}
    >
      {data && (
        <>
          <ul className={styles.ways}>
            {(['new', 'returning'] as const).map((way) => (
              <li key={way}>
                <span className={styles.wayLabel}>
                  <span className={shared.swatch} data-way={way} aria-hidden />
                  {t(`newcomers.${way}`)}
                </span>
                <span className={shared.valueLine}>
                  <FigureLink to="/domains" filters={{ ...filters, appearance: only(way) }} className={styles.wayValue}>
                    {fmt.count(data.meta.total[way])}
                  </FigureLink>
                  <Change good={data.meta.total[way] <= data.meta.previous[way]}>
                    {fmt.signed(data.meta.total[way] - data.meta.previous[way])}
                  </Change>
                </span>
              </li>
            ))}
          </ul>
          <figure className={styles.weeks} aria-label={t('newcomers.chart')}>
            <WeeksChart meta={data.meta} />
          </figure>
          <ol className={shared.list}>
            {data.data.map(({ domain, since, awayDays, terms }) => (
              <li key={domain} className={styles.newcomer}>
                {awayDays == null ? <IconSparkles size={15} aria-hidden /> : <IconRefresh size={15} aria-hidden />}
                <span className={shared.name} title={domain}>
                  {domain}
                </span>
                <span className={styles.appeared}>
                  {awayDays == null
                    ? t('newcomers.since', { day: fmt.shortDate(since) })
                    : t('newcomers.back', { count: awayDays })}
                </span>
                <FigureLink to="/terms" filters={{ ...filters, domain: only(domain) }}>
                  {t('newcomers.terms', { count: terms })}
                </FigureLink>
              </li>
            ))}
          </ol>
          {data.data.length === 0 && <p className={shared.note}>{t('newcomers.none')}</p>}
        </>
      )}
    </Card>
  );
}
