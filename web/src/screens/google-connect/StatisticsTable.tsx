import { Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { GoogleStatistic } from '~/api/queries/google';
import { useFormats } from '~/ui/useFormats';
import styles from './GoogleConnect.module.css';

/** What a row is selected by. */
export const rowKey = ({ SEA, SEO }: GoogleStatistic): string => `${SEO.ID ?? ''}-${SEA.ID ?? ''}`;

interface Props {
  rows: readonly GoogleStatistic[];
  selected: ReadonlySet<string>;
  onSelect(keys: readonly string[], on: boolean): void;
}

/** The figures of a page by day and keyword, both sources side by side. */
export function StatisticsTable({ rows, selected, onSelect }: Props) {
  const { t } = useTranslation('google');
  const fmt = useFormats();
  const keys = rows.map(rowKey);
  const chosen = keys.filter((key) => selected.has(key)).length;
  return (
    <div className={styles.scroll}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col" rowSpan={2}>
              <Checkbox
                aria-label={t('statistics.selectAll')}
                checked={chosen > 0 && chosen === keys.length}
                indeterminate={chosen > 0 && chosen < keys.length}
                onChange={({ currentTarget }) => onSelect(keys, currentTarget.checked)}
              />
            </th>
            <th scope="col" rowSpan={2}>
              {t('column.date')}
            </th>
            <th scope="col" rowSpan={2}>
              {t('column.keyword')}
            </th>
            <th scope="colgroup" colSpan={2} className={styles.seo}>
              {t('statistics.seo')}
            </th>
            <th scope="colgroup" colSpan={2} className={styles.sea}>
              {t('statistics.sea')}
            </th>
          </tr>
          <tr>
            {['seo', 'sea'].flatMap((side) => [
              <th key={`${side}i`} scope="col" className={styles.number}>
                {t('column.impressions')}
              </th>,
              <th key={`${side}c`} scope="col" className={styles.number}>
                {t('column.clicks')}
              </th>,
            ])}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = rowKey(row);
            const keyword = row.content || t('statistics.deleted');
            const date = fmt.date(row.date);
            return (
              <tr key={key} data-selected={selected.has(key) || undefined} data-provisional={!row.isFinal || undefined}>
                <td>
                  <Checkbox
                    aria-label={t('statistics.selectRow', { keyword, date })}
                    checked={selected.has(key)}
                    onChange={({ currentTarget }) => onSelect([key], currentTarget.checked)}
                  />
                </td>
                <td>
                  {date} {!row.isFinal && <small>{t('statistics.provisional')}</small>}
                </td>
                <td>
                  <strong>{keyword}</strong>
                </td>
                <td className={styles.number}>{fmt.count(row.SEO.impressions)}</td>
                <td className={styles.number}>{fmt.count(row.SEO.clicks)}</td>
                <td className={styles.number}>
                  {row.SEA.ID === null && <small>{t('statistics.notReported')} </small>}
                  {fmt.count(row.SEA.impressions)}
                </td>
                <td className={styles.number}>{fmt.count(row.SEA.clicks)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
