import type { TermRow } from '~/api/queries/terms';
import type { Tools } from '~/list/types';
import styles from '~/monitoring/card.module.css';
import { Brand } from '~/monitoring/cells';
import { Figure } from '~/monitoring/Figure';
import { EditableTags } from '~/monitoring/tags/EditableTags';
import { Content, Engine, Locale } from './cells';
import { taggedTerms } from './tagged';

/** A term on a narrow screen: the same figures as its row. */
export function TermCard({ row, tools }: { row: TermRow; tools: Tools }) {
  const { t, fmt } = tools;
  return (
    <article className={styles.card}>
      <header className={styles.head}>
        <Content row={row} tools={tools} />
        <Engine row={row} tools={tools} />
      </header>
      <Locale row={row} tools={tools} />
      {row.brand && !tools.redundant?.includes('brand') && <Brand row={row} />}
      <dl className={styles.figures}>
        <Figure label={t('column.nbCompetitors')}>{fmt.count(row.nbCompetitors)}</Figure>
        <Figure label={t('monitoring:column.nbAds')}>{fmt.count(row.nbAds)}</Figure>
        <Figure label={t('monitoring:column.nbViews')}>{fmt.count(row.nbViews)}</Figure>
      </dl>
      <EditableTags row={row} taggable={taggedTerms} />
    </article>
  );
}
