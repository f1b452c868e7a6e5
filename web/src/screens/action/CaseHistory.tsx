import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import type { Tools } from '~/list/types';
import { CaseStatus } from '~/monitoring/cases/CaseStatus';
import { timelineOf } from '~/monitoring/cases/timeline';
import { useWho } from '~/monitoring/history/who';
import styles from './Action.module.css';

/** Every status that a case has had, the newest first, with its date and author; reminders in a row are one, with their earlier dates. */
export function CaseHistory({ row, tools }: { row: CaseRow; tools: Tools }) {
  const { t } = useTranslation('actions');
  const { fmt } = tools;
  const who = useWho();
  const entries = timelineOf(row.history).reverse();
  return (
    <section className={styles.panel} aria-labelledby="case-history">
      <h2 id="case-history" className={styles.heading}>
        {t('page.history')}
      </h2>
      {entries.length === 0 && <p className={styles.dim}>{t('page.noHistory')}</p>}
      <ol className={styles.history}>
        {entries.map(({ id, status, date, earlier, by }) => (
          <li key={id}>
            <CaseStatus row={{ status, waiting: false }} tools={tools} />
            <span className={styles.when}>
              {date && <time dateTime={date}>{fmt.dateTime(date)}</time>}
              <span className={styles.dim}>{by ? who(by) : t('page.automatic')}</span>
              {earlier.length > 0 && (
                <span className={styles.dim}>
                  {t('page.earlier', { dates: fmt.list(earlier.map((one) => fmt.date(one))) })}
                </span>
              )}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
