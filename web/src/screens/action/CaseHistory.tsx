import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import type { Tools } from '~/list/types';
import { type TimelineNode, timelineOf } from '~/monitoring/cases/timeline';
import { useWho } from '~/monitoring/history/who';
import { useReturnFocus } from '~/ui/useReturnFocus';
import styles from './Action.module.css';
import type { Opened } from './acts';

/** Entries that are shown without asking (decision D55). */
const LAST = 3;

interface Props {
  row: CaseRow;
  tools: Tools;
  onOpen(opened: Opened): void;
}

/** The last statuses of a case, the newest first, and a button that shows all of them. */
export function CaseHistory({ row, tools, onOpen }: Props) {
  const { t } = useTranslation(['action', 'actions']);
  const entries = timelineOf(row.history).reverse();
  return (
    <section className={styles.panel} aria-labelledby="case-history">
      <div className={styles.head}>
        <h2 id="case-history" className={styles.heading}>
          {t('actions:page.history')}
        </h2>
        {entries.length > 0 && (
          <button type="button" className={styles.link} onClick={() => onOpen('history')}>
            {t('seeAllHistory')}
          </button>
        )}
      </div>
      {entries.length === 0 && <p className={styles.dim}>{t('actions:page.noHistory')}</p>}
      <ol className={styles.history}>
        {entries.slice(0, LAST).map((entry) => (
          <Entry key={entry.id} entry={entry} tools={tools} />
        ))}
      </ol>
    </section>
  );
}

/** A status with its date and author; of reminders in a row the latest, with the earlier dates in its title. */
function Entry({ entry, tools, full }: { entry: TimelineNode; tools: Tools; full?: boolean }) {
  const { t } = useTranslation(['action', 'actions']);
  const { fmt } = tools;
  const who = useWho();
  const { status, date, earlier, by } = entry;
  const before =
    earlier.length > 0
      ? t('actions:page.earlier', { dates: fmt.list(earlier.map((one) => fmt.date(one))) })
      : undefined;
  return (
    <li className={styles.entry} data-status={status} title={before}>
      <span className={styles.entryName}>
        <span className="sentence">{tools.t(`advertisers:status.${status}`)}</span>
        {date && <time dateTime={date}>{full ? fmt.minute(date) : fmt.date(date)}</time>}
      </span>
      <span className={styles.entryBy}>
        {by ? who(by) : t('actions:page.automatic')}
        {before && ` · ${t('reminders', { count: earlier.length + 1 })}`}
      </span>
      {before && <span className={full ? styles.entryBy : 'visually-hidden'}>{before}</span>}
    </li>
  );
}

/** Every status that a case has had, the newest first. */
export function HistoryModal({ row, tools, onClose }: { row: CaseRow; tools: Tools; onClose(): void }) {
  useReturnFocus();
  const { t } = useTranslation('actions');
  const common = useTranslation('common').t;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('page.history')}
      centered
      closeButtonProps={{ 'aria-label': common('close') }}
    >
      <ol className={styles.history}>
        {timelineOf(row.history)
          .reverse()
          .map((entry) => (
            <Entry key={entry.id} entry={entry} tools={tools} full />
          ))}
      </ol>
    </Modal>
  );
}
