import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import type { Tools } from '~/list/types';
import { presenceOf } from './caseFacts';
import styles from './cases.module.css';

/** Days that the presence of an advertiser is counted over. */
const PRESENCE_DAYS = 30;

interface Props {
  row: CaseRow;
  /** With the texts of `actions`, as the namespace of keys without one. */
  tools: Tools;
}

/** When an advertiser was seen last, on how many days, and which of its ads are live. */
export function CaseSeen({ row, tools: { t, fmt } }: Props) {
  const { ads, shopping, days } = presenceOf(row.presence);
  return (
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
  );
}

/** A badge for a kind of ads that are shown now; its tooltip is the label and, after a colon, `title`. */
function Live({ label, title }: { label: string; title: string }) {
  const { t } = useTranslation('common');
  return (
    <span className={styles.kind} title={t('labelled', { label, value: title })}>
      {label}
    </span>
  );
}
