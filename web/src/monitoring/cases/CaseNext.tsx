import { IconArrowBackUp } from '@tabler/icons-react';
import type { CaseRow, NextStep } from '~/api/queries/actions';
import { dayjs } from '~/lib/dates';
import type { Tools } from '~/list/types';
import { isWaiting } from './CaseStatus';
import { asReason, blockedText } from './caseFacts';
import styles from './cases.module.css';

interface Props {
  row: CaseRow;
  /** With the texts of `actions`, as the namespace of keys without one. */
  tools: Tools;
}

/** Whose turn it is, or why nothing moves, and since when; nothing for a case that is over. */
export function CaseNext({ row, tools }: Props) {
  const { t } = tools;
  const isOurs = (row.status === 'inprogress' || row.status === 'reminded') && !isWaiting(row);
  const text = nextOf(row, tools);
  if (text === undefined) return null;
  const days = row.lastStatusDate ? dayjs().diff(dayjs(row.lastStatusDate), 'day') : undefined;
  return (
    <p className={styles.next}>
      <span className={styles.step} data-ours={isOurs || undefined}>
        {isOurs && <IconArrowBackUp size={15} aria-hidden />}
        <span className="sentence">{text}</span>
      </span>
      {days !== undefined && (
        <span className={styles.since}>{days > 0 ? t('next.since', { count: days }) : t('next.today')}</span>
      )}
    </p>
  );
}

/** The next step in words; undefined for a case that is over. */
function nextOf(row: CaseRow, tools: Tools): string | undefined {
  const { t } = tools;
  switch (row.status) {
    case 'new':
    case 'reappearance':
      return t('next.new');
    case 'requested':
      return row.next?.code === 'noContact' ? t('next.noContact') : t('next.requested');
    case 'inprogress':
    case 'reminded':
      return row.next ? stepOf(row.next, tools) : t(isWaiting(row) ? 'next.waiting' : 'next.ours');
    case 'blocked':
      return blockedText(row, t);
    default:
      return undefined;
  }
}

/** What the machine does next, and when. */
function stepOf({ code, date, params }: NextStep, { t, fmt }: Tools): string {
  const day = date ? fmt.shortDate(date) : '';
  switch (code) {
    case 'reminder':
      return t(params.paused ? 'next.paused' : 'next.reminder', { number: params.number ?? 1, date: day });
    case 'block':
      return t('next.block', { date: day, reason: t(`blocked.${asReason(params.reason)}`) });
    case 'notification':
      return t('next.requested');
    default:
      return t(`next.${code}`);
  }
}
