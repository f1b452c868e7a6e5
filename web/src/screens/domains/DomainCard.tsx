import type { DomainRow } from '~/api/queries/domains';
import type { Tools } from '~/list/types';
import styles from '~/monitoring/card.module.css';
import { Countries, DomainLink } from '~/monitoring/cells';
import { Figure } from '~/monitoring/Figure';
import { EditableTags } from '~/monitoring/tags/EditableTags';
import { taggedDomains } from './tagged';
import { Visibility } from './Visibility';

/** A domain on a narrow screen: the same figures as its row. */
export function DomainCard({ row, tools }: { row: DomainRow; tools: Tools }) {
  const { t, fmt } = tools;
  return (
    <article className={styles.card}>
      <header className={styles.head}>
        <DomainLink row={row} tools={tools} />
        <Countries row={row} tools={tools} />
      </header>
      <Visibility row={row} tools={tools} />
      <dl className={styles.figures}>
        <Figure label={t('column.averagePosition')}>
          {row.averagePosition === null ? '–' : fmt.position(row.averagePosition)}
        </Figure>
        <Figure label={t('monitoring:column.nbAds')}>{fmt.count(row.nbAds)}</Figure>
        <Figure label={t('monitoring:column.nbViews')}>{fmt.count(row.nbViews)}</Figure>
      </dl>
      <EditableTags row={row} taggable={taggedDomains} />
    </article>
  );
}
