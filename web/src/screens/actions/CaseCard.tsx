import { IconBell, IconInbox, IconMail, IconMailOpened } from '@tabler/icons-react';
import type { CaseRow } from '~/api/queries/actions';
import type { Tools } from '~/list/types';
import { CaseLink } from '~/monitoring/cases/CaseLink';
import { CaseNext } from '~/monitoring/cases/CaseNext';
import { CaseSeen } from '~/monitoring/cases/CaseSeen';
import { CaseStatus } from '~/monitoring/cases/CaseStatus';
import { CopyDomain } from '~/monitoring/cases/CopyDomain';
import { OpenSite } from '~/monitoring/cases/OpenSite';
import { Timeline } from '~/monitoring/cases/Timeline';
import { MOST_NODES } from '~/monitoring/cases/timeline';
import { Countries, Engine } from '~/monitoring/cells';
import { useDevice } from '~/ui/environment';
import { lazyPart } from '~/ui/lazyPart';
import styles from './CaseCard.module.css';
import { CaseMenu } from './CaseMenu';

const CardPeople = lazyPart(() => import('./CardPeople').then((module) => module.CardPeople));

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
        <CaseNext row={row} tools={tools} />
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
  const { t } = tools;
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
        <OpenSite domain={row.domain} />
        <CopyDomain domain={row.domain} />
        <CardPeople id={row.id} />
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
      <CaseSeen row={row} tools={tools} />
    </div>
  );
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
