import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type CaseRow, conversationsQuery } from '~/api/queries/actions';
import type { Tools } from '~/list/types';
import { Countries, Engine } from '~/monitoring/cells';
import { Hint } from '~/ui/buttons';
import { ErrorPanel } from '~/ui/feedback';
import page from './Action.module.css';
import type { Opened } from './acts';
import styles from './Conversations.module.css';

/** Conversations that are shown without asking. */
const FIRST = 3;

/** The other cases of the advertiser of a case; undefined while they are not known. */
export function useConversations(row: CaseRow) {
  const { advertiserID } = row;
  const { data, isError, refetch } = useQuery({
    ...conversationsQuery(advertiserID ?? 0),
    enabled: typeof advertiserID === 'number',
  });
  const all = typeof advertiserID === 'number' ? data?.rows : [];
  return { others: all?.filter(({ id }) => id !== row.id), isError, refetch };
}

interface Props {
  row: CaseRow;
  tools: Tools;
  onOpen(opened: Opened): void;
}

/** The other cases of this advertiser whose status changed last, and a button that shows all of them. */
export function Conversations({ row, tools, onOpen }: Props) {
  const { t } = useTranslation('action');
  const { others, isError, refetch } = useConversations(row);
  return (
    <section className={page.panel} aria-labelledby="case-conversations">
      <h2 id="case-conversations" className={page.heading}>
        {t('conversations.title')}
      </h2>
      {!others && isError && <ErrorPanel onRetry={() => void refetch()} />}
      {others?.length === 0 && <p className={page.dim}>{t('conversations.empty')}</p>}
      {others && others.length > 0 && (
        <>
          <ConversationTable rows={others.slice(0, FIRST)} tools={tools} compact />
          <Hint label={`${t('conversations.search')} (/)`}>
            <button type="button" className={page.link} aria-keyshortcuts="/" onClick={() => onOpen('conversations')}>
              {t('conversations.all')} ({tools.fmt.count(others.length)})
            </button>
          </Hint>
        </>
      )}
    </section>
  );
}

interface TableProps {
  rows: readonly CaseRow[];
  tools: Tools;
  /** Two lines a row, and headings for screen readers alone. */
  compact?: boolean;
  /** Names the brand of each case. */
  brands?: boolean;
}

/** Cases of one advertiser, a row each, which opens the case in a new tab. */
export function ConversationTable({ rows, tools, compact, brands }: TableProps) {
  const { t } = useTranslation(['action', 'actions', 'advertisers']);
  const { fmt } = tools;
  return (
    <table className={compact ? styles.compactTable : styles.table}>
      <thead className={compact ? 'visually-hidden' : undefined}>
        <tr>
          <th scope="col">{t('conversations.engine')}</th>
          <th scope="col">{t('conversations.domain')}</th>
          <th scope="col">{t('conversations.country')}</th>
          <th scope="col">{t('conversations.date')}</th>
          <th scope="col">{t('conversations.status')}</th>
          <th scope="col">{t('actions:received')}</th>
          <th scope="col">{t('actions:sent')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.id}>
            <td className={styles.engineCell}>
              <Engine row={row} tools={tools} iconOnly />
            </td>
            <td className={styles.domainCell}>
              <a
                href={`/action/${row.id}`}
                target="_blank"
                rel="noopener"
                aria-label={t('conversations.open', { domain: row.domain })}
                title={[row.domain, row.brand].filter(Boolean).join(', ')}
              >
                {row.domain}
              </a>
              {brands && row.brand && <span className={styles.brand}>{row.brand}</span>}
            </td>
            <td className={styles.countryCell}>
              <Countries row={row} tools={tools} />
            </td>
            <td className={styles.dateCell}>
              {row.lastStatusDate && <time dateTime={row.lastStatusDate}>{fmt.minute(row.lastStatusDate)}</time>}
            </td>
            <td className={styles.statusCell} data-status={row.status}>
              <span className="sentence">{tools.t(`advertisers:status.${row.status}`)}</span>
            </td>
            <td className={styles.countCell}>
              {compact && <span>{t('actions:received')} </span>}
              {fmt.count(row.receivedCount)}
            </td>
            <td className={styles.countCell}>
              {compact && <span>{t('actions:sent')} </span>}
              {fmt.count(row.sendedCount)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
