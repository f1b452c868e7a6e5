import { Loader } from '@mantine/core';
import { IconPigMoney } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { savingsQuery } from '~/api/queries/stopGo';
import { ExportLink } from '~/list/ExportLink';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { useFormats } from '~/ui/useFormats';
import styles from './StopGo.module.css';

const SOURCES = { google: 'savingGoogle', typed: 'savingTyped' } as const;

/** What brands saved, as ranges, beside the hours in which a rival was seen while they were stopped. */
export function Savings() {
  const { t } = useTranslation('stopGo');
  const common = useTranslation('common').t;
  const fmt = useFormats();
  const { data, isError, refetch } = useQuery(savingsQuery);
  const hours = (count: number) => t('hours', { count: Math.round(count * 10) / 10 });
  return (
    <div className={styles.page}>
      <header className={styles.heading}>
        <h1 className={styles.title} tabIndex={-1}>
          {common('title.stopGoSavings')}
        </h1>
        <span className={`${styles.push} ${styles.files}`}>
          <ExportLink href="/api/stop-go/savings/export" name="stop-go-savings" compact />
        </span>
      </header>
      {!data && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader />)}
      {data && (
        <p className={styles.dim}>
          {t('savingsText', { first: fmt.date(data.meta.first), last: fmt.date(data.meta.last) })}
        </p>
      )}
      {data?.data.length === 0 && (
        <EmptyState icon={<IconPigMoney size={26} />} title={t('noBrands')} text={t('noBrandsText')} />
      )}
      {data && data.data.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
        <section className={`${styles.card} ${styles.scroll}`} aria-label={t('saving')} tabIndex={0}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{t('brand')}</th>
                <th scope="col" className={styles.number}>
                  {t('stoppedTime')}
                </th>
                <th scope="col" className={styles.number}>
                  {t('harm')}
                </th>
                <th scope="col" className={styles.number}>
                  {t('toggles')}
                </th>
                <th scope="col" className={styles.number}>
                  {t('lost')}
                </th>
                <th scope="col" className={styles.number}>
                  {t('saving')}
                </th>
              </tr>
            </thead>
            <tbody>
              {data.data.map((saving) => (
                <tr key={saving.brandID}>
                  <td>{saving.brandLabel}</td>
                  <td className={styles.number}>{hours(saving.stoppedHours)}</td>
                  <td className={styles.number}>{hours(saving.harmHours)}</td>
                  <td className={styles.number}>{fmt.count(saving.toggles)}</td>
                  <td className={styles.number}>{fmt.decimal(saving.lostClicks)}</td>
                  <td className={styles.number}>
                    {saving.source === 'none'
                      ? '–'
                      : t('range', { low: fmt.decimal(saving.netLow), high: fmt.decimal(saving.netHigh) })}
                    <br />
                    <span className={styles.dim}>
                      {t(SOURCES[saving.source as keyof typeof SOURCES] ?? 'savingNone')}
                    </span>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </div>
  );
}
