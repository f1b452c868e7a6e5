import { Loader, Pagination, SegmentedControl } from '@mantine/core';
import { IconScale } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { PRODUCTS_SHOWN, productsQuery } from '~/api/queries/comparator';
import { readComparatorSearch } from '~/lib/comparatorSearch';
import { dayjs, lastPeriod } from '~/lib/dates';
import { within } from '~/lib/homePeriod';
import { DEFAULT_DAYS, HOME_DAYS, homeFilters } from '~/lib/homeSearch';
import { ExportLink } from '~/list/ExportLink';
import { DetectionFilters } from '~/monitoring/DetectionFilters';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import styles from './Comparator.module.css';
import { Product } from './Product';

/** Products of the brands that others offer below the brands' own prices, in the period and under the filters of the address. */
export function Comparator() {
  const { t } = useTranslation('comparator');
  const common = useTranslation('common').t;
  const navigate = useNavigate();
  const search = readComparatorSearch(useSearch({ from: '/comparator' }));
  const { days = DEFAULT_DAYS, page = 1 } = search;
  const period = lastPeriod(days, dayjs());
  const chosen = homeFilters(search);
  const filters = { ...within(period.span), ...chosen };
  const { data, isError, refetch } = useQuery(productsQuery(filters, page));
  const go = (change: Record<string, unknown>) =>
    navigate({
      to: '/comparator',
      search: (all) => readComparatorSearch({ ...all, page: undefined, ...change }),
      resetScroll: 'page' in change,
    });
  const meta = data?.meta;
  const pages = Math.max(1, Math.ceil((meta?.total ?? 0) / PRODUCTS_SHOWN));
  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.comparator')}
        </h1>
        <DetectionFilters filters={chosen} onChange={(name, where) => go({ [name]: where })} />
        <SegmentedControl
          className={styles.push}
          aria-label={t('period')}
          value={String(days)}
          data={HOME_DAYS.map((length) => ({ value: String(length), label: t('days', { count: length }) }))}
          onChange={(value) => go({ days: value })}
        />
        {data?.links.exportCSV && (
          <span className={styles.files}>
            <ExportLink href={data.links.exportCSV} name="comparator" compact />
          </span>
        )}
      </header>
      <p className={styles.dim}>
        {t('intro')} {t('introOwn')}
      </p>
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {meta && (
        <ul className={styles.counts} aria-live="polite">
          <li>
            <strong>{t('found', { count: meta.total })}</strong>
          </li>
          <li>{t('compared', { count: meta.compared })}</li>
          {meta.withoutOwnPrice > 0 && <li>{t('without', { count: meta.withoutOwnPrice })}</li>}
          {meta.unreadable > 0 && <li>{t('unreadable', { count: meta.unreadable })}</li>}
        </ul>
      )}
      {meta?.total === 0 && (
        <EmptyState
          icon={<IconScale size={26} />}
          title={t(meta.compared > 0 ? 'none' : 'nothing')}
          text={t(meta.compared > 0 ? 'noneText' : 'nothingText')}
        />
      )}
      {data && data.data.length > 0 && (
        <ul className={styles.products}>
          {data.data.map((product, place) => (
            <Product
              key={[product.brandID, product.country, product.currency, product.unit, product.title].join(' ')}
              product={product}
              filters={filters}
              first={place === 0}
            />
          ))}
        </ul>
      )}
      {pages > 1 && (
        <Pagination
          component="nav"
          aria-label={t('pages')}
          total={pages}
          value={page}
          onChange={(number) => go({ page: number })}
          getItemProps={(number) => ({ 'aria-label': t('page', { page: number, pages }) })}
          getControlProps={(control) => ({ 'aria-label': t(control === 'previous' ? 'previous' : 'next') })}
        />
      )}
    </div>
  );
}
