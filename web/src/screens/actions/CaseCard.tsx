import { IconArrowBackUp, IconBell, IconExternalLink, IconInbox, IconMail, IconMailOpened } from '@tabler/icons-react';
import type { CaseRow, NextStep } from '~/api/queries/actions';
import { dayjs } from '~/lib/dates';
import type { Tools } from '~/list/types';
import { CaseLink } from '~/monitoring/cases/CaseLink';
import { CaseStatus, isWaiting } from '~/monitoring/cases/CaseStatus';
import { CopyDomain } from '~/monitoring/cases/CopyDomain';
import { Timeline } from '~/monitoring/cases/Timeline';
import { MOST_NODES } from '~/monitoring/cases/timeline';
import { Countries, Engine } from '~/monitoring/cells';
import { useDevice } from '~/ui/environment';
import styles from './CaseCard.module.css';
import { CaseMenu } from './CaseMenu';
import { asReason, blockedReason, presenceOf } from './caseFacts';

/** Days that the presence of an advertiser is counted over. */
const PRESENCE_DAYS = 30;

interface Props {
  row: CaseRow;
  tools: Tools;
  /** Leaves out the timeline, and makes icons of the words for mails. */
  compact?: boolean;
}

/** A case: who advertises where, what has happened to it, what comes next, and its mails. Its whole surface is a link to its page. */
export function CaseCard({ row, tools, compact = false }: Props) {
  const device = useDevice();
  return (
    <article className={styles.card} data-compact={compact || undefined}>
      <Advertiser row={row} tools={tools} compact={compact} />
      {!compact && (
        <div className={styles.story}>
          <Timeline history={row.history} tools={tools} most={device === 'desktop' ? MOST_NODES : MOST_NODES - 1} />
          {row.unreadCount > 0 && (
            <p className={styles.unreadText}>
              <IconMail size={15} aria-hidden />
              {tools.t('card.unread', { count: row.unreadCount })}
            </p>
          )}
        </div>
      )}
      <div className={styles.state}>
        <CaseStatus row={row} tools={tools} />
        <Next row={row} tools={tools} />
      </div>
      <Mails row={row} tools={tools} compact={compact} />
      <div className={styles.menu}>
        <CaseMenu row={row} />
      </div>
    </article>
  );
}

/** The advertiser: its domain with its tools, market, brand, tags, and when and how often it was seen. */
function Advertiser({ row, tools, compact }: Props) {
  const { t, fmt } = tools;
  const { ads, shopping, days } = presenceOf(row.presence);
  return (
    <div className={styles.who}>
      <div className={styles.name}>
        {row.unreadCount > 0 && (
          <span className={styles.unread} title={t('card.unread', { count: row.unreadCount })}>
            {compact && <span className="visually-hidden">{t('card.unread', { count: row.unreadCount })}</span>}
          </span>
        )}
        <CaseLink id={row.id} label={t('card.openCase', { domain: row.domain })} className={styles.open}>
          {row.domain}
        </CaseLink>
        <a
          className={styles.site}
          href={`https://${row.domain}`}
          target="_blank"
          rel="noopener noreferrer nofollow"
          aria-label={t('card.openSite', { domain: row.domain })}
        >
          <IconExternalLink size={15} aria-hidden />
        </a>
        <CopyDomain domain={row.domain} />
      </div>
      <div className={styles.market}>
        <Countries row={row} tools={tools} />
        <Engine row={row} tools={tools} iconOnly />
        {row.brand && !tools.redundant?.includes('brand') && (
          <span className={styles.brand} title={row.brand}>
            {row.brand}
          </span>
        )}
        <span className={styles.tags}>
          {row.categories.map((tag) => (
            <span key={tag.id} className={styles.tag}>
              {tag.label}
            </span>
          ))}
        </span>
      </div>
      <div className={styles.seen}>
        <span>{row.lastView ? t('card.lastSeen', { date: fmt.date(row.lastView) }) : t('card.neverSeen')}</span>
        {days !== undefined && (
          <span className={styles.days} title={t('card.daysOf', { days, of: PRESENCE_DAYS })}>
            <span className={styles.track} aria-hidden>
              <span className={styles.bar} style={{ width: `${(100 * days) / PRESENCE_DAYS}%` }} />
            </span>
            {t('card.days', { days, of: PRESENCE_DAYS })}
          </span>
        )}
        {ads && <Live label={t('card.ads')} title={t('card.live')} />}
        {shopping && <Live label={t('card.shopping')} title={t('card.live')} />}
      </div>
    </div>
  );
}

/** A kind of ads that are live. */
function Live({ label, title }: { label: string; title: string }) {
  return (
    <span className={styles.kind} title={`${label}: ${title}`}>
      {label}
    </span>
  );
}

/** Whose turn it is, or why nothing moves, and since when; nothing for a case that is over. */
function Next({ row, tools }: Pick<Props, 'row' | 'tools'>) {
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
      return t(`blocked.${blockedReason(row)}`);
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

/** The three counts of mails, over all cycles. */
function Mails({ row, tools, compact }: Props) {
  const { t, fmt } = tools;
  const counts = [
    ['received', row.receivedCount, t('received'), IconInbox],
    ['sent', row.sendedCount, t('sent'), IconMailOpened],
    ['reminders', row.remindedCount, t('reminders'), IconBell],
  ] as const;
  return (
    <dl className={styles.mails}>
      {counts.map(([key, count, label, Mark]) => (
        <div key={key} title={compact ? label : undefined} data-zero={count === 0 || undefined}>
          <dt>{compact ? <Mark size={15} aria-hidden /> : label}</dt>
          <dd>
            {compact && <span className="visually-hidden">{label} </span>}
            {fmt.count(count)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The headings above the zones of the cards; each zone says itself what it is. */
export function CaseHeads({ tools: { t }, compact }: { tools: Tools; compact: boolean }) {
  return (
    <div className={styles.heads} data-compact={compact || undefined} aria-hidden>
      <span>{t('head.advertiser')}</span>
      {!compact && <span>{t('head.timeline')}</span>}
      <span>{t('head.status')}</span>
      <span>{t('head.mails')}</span>
    </div>
  );
}
