import { IconWorld } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { domainsQuery } from '~/api/queries/domains';
import type { DateSpan } from '~/lib/dates';
import type { ListSearch } from '~/lib/listSearch';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { useFormats } from '~/ui/useFormats';
import styles from './Home.module.css';

const SHOWN = 8;

/** The search of the Domains list, limited to the first rows. */
const topSearch = (span: DateSpan): ListSearch => ({
  page: 1,
  perPage: SHOWN,
  order: 'nbViews',
  direction: 'DESC',
  filters: { date: { type: 'between', value: span } },
});

/** The eight domains with the most views in the period, with their shares of all views, and a link to the Domains list (without the period). */
export function TopDomains({ span }: { span: DateSpan }) {
  const { t } = useTranslation('home');
  const fmt = useFormats();
  const { data, isError, refetch } = useQuery({ ...domainsQuery(topSearch(span)), placeholderData: keepPreviousData });
  return (
    <section className={styles.card} aria-labelledby="top-advertisers">
      <header className={styles.cardHead}>
        <h2 id="top-advertisers" className={styles.cardTitle}>
          {t('top.title')}
        </h2>
        <Link to="/domains" className={styles.more}>
          {t('top.all')}
        </Link>
      </header>
      {isError && !data && <ErrorPanel onRetry={() => refetch()} />}
      {data?.rows.length === 0 && <EmptyState icon={<IconWorld size={26} />} title={t('chart.empty')} />}
      <ol className={styles.list}>
        {data?.rows.map((row) => (
          <li key={row.id} className={styles.row}>
            <span className={styles.name}>{row.domain}</span>
            <span className={styles.share}>{fmt.visibility(row.share)}</span>
            <span className={styles.track} aria-hidden>
              <span className={styles.bar} style={{ width: `${row.share}%` }} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
