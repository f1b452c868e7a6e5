import type { AdvertiserRow } from '~/api/queries/advertisers';
import type { Tools } from '~/list/types';
import styles from '~/monitoring/card.module.css';
import { Brand, Countries, DomainLink } from '~/monitoring/cells';
import { Figure } from '~/monitoring/Figure';
import { EditableTags } from '~/monitoring/tags/EditableTags';
import { Engine, lastStatusDate, Status } from './cells';
import { RowMenu } from './RowMenu';
import { taggedAdvertisers } from './tagged';

/** An advertiser on a narrow screen: the same as its row. */
export function AdvertiserCard({ row, tools }: { row: AdvertiserRow; tools: Tools }) {
  const { t, fmt } = tools;
  const date = (value: string | null | undefined) => (value ? fmt.date(value) : '–');
  return (
    <article className={styles.card}>
      <header className={styles.head}>
        <DomainLink row={row} tools={tools} />
        <RowMenu row={row} />
      </header>
      <div className={styles.head}>
        <Status row={row} tools={tools} />
        <span className={styles.marks}>
          <Engine row={row} tools={tools} />
          <Countries row={row} tools={tools} />
        </span>
      </div>
      {row.brand && !tools.redundant?.includes('brand') && <Brand row={row} />}
      <dl className={styles.figures}>
        <Figure label={t('column.createdDate')}>{date(row.createdDate)}</Figure>
        <Figure label={t('column.lastView')}>{date(row.lastView)}</Figure>
        <Figure label={t('column.lastStatusDate')}>{date(lastStatusDate(row))}</Figure>
        <Figure label={t('monitoring:column.nbAds')}>{row.nbAds == null ? '–' : fmt.count(row.nbAds)}</Figure>
        <Figure label={t('monitoring:column.nbViews')}>{row.nbViews == null ? '–' : fmt.count(row.nbViews)}</Figure>
      </dl>
      <EditableTags row={row} taggable={taggedAdvertisers} />
    </article>
  );
}
