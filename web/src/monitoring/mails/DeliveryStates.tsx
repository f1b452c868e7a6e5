import {
  type Icon,
  IconBan,
  IconCheck,
  IconChecks,
  IconCircleX,
  IconClock,
  IconHelpCircle,
  IconMailX,
  IconPlayerPause,
  IconSend2,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Delivery, Mail } from '~/api/queries/caseMails';
import { useFormats } from '~/ui/useFormats';
import { type ShownState, shownState, statesOf } from './deliveries';
import styles from './mails.module.css';

const ICONS: Readonly<Record<ShownState, Icon>> = {
  queued: IconClock,
  held: IconPlayerPause,
  sending: IconSend2,
  sent: IconCheck,
  failed: IconCircleX,
  unknown: IconHelpCircle,
  bounced: IconMailX,
  arrived: IconChecks,
  lost: IconCircleX,
  cancelled: IconBan,
};

/** Why a delivery is where it is, as the server's codes have it. */
const REASONS = [
  'no_longer_wanted',
  'stopped',
  'address_limit',
  'domain_limit',
  'daily_limit',
  'bounces',
  'working_hours',
  'refused',
  'given_up',
  'not_composed',
  'worker_lost',
  'undone',
] as const;

interface StateProps {
  state: ShownState;
  count: number;
  /** Says how many deliveries are in it. */
  counted?: boolean;
}

/** A state with colour, icon and word. */
function State({ state, count, counted = false }: StateProps) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  const Mark = ICONS[state];
  return (
    <span className={styles.state} data-state={state}>
      <Mark size={15} aria-hidden />
      <span>
        {counted && `${fmt.count(count)} `}
        {t(`state.${state}`, { count })}
      </span>
    </span>
  );
}

/** Statuses of a mail whose deliveries are not shown to the reader. */
const OF_STATUS: Readonly<Partial<Record<Mail['status'], ShownState>>> = {
  queued: 'queued',
  sent: 'sent',
  failed: 'failed',
  unknown: 'unknown',
};

/** What became of a mail of ours, in one line: each state that one of its deliveries has. */
export function StateSummary({ mail: { deliveries, status } }: { mail: Mail }) {
  const whole = OF_STATUS[status];
  if (deliveries.length === 0) return whole && <State state={whole} count={1} />;
  return statesOf(deliveries).map(({ state, count }) => (
    <State key={state} state={state} count={count} counted={deliveries.length > 1} />
  ));
}

/** Every recipient of a mail, what became of it there, since when, and what the server said. */
export function DeliveryList({ deliveries }: { deliveries: readonly Delivery[] }) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  return (
    <ul className={styles.deliveries} aria-label={t('recipients')}>
      {deliveries.map((delivery) => {
        const at = delivery.bouncedAt ?? delivery.settledAt;
        const reason = REASONS.find((known) => known === delivery.reason);
        return (
          <li key={delivery.id}>
            <span className={styles.address}>{delivery.address}</span>
            <State state={shownState(delivery)} count={1} />
            {at && (
              <time className={styles.dim} dateTime={at}>
                {fmt.shortDate(at)} {fmt.time(Date.parse(at))}
              </time>
            )}
            {reason && <span className={styles.dim}>{t(`reason.${reason}`)}</span>}
            {delivery.openedAt && (
              <span className={styles.dim} title={t('perhapsOpenedWhy')}>
                {t('perhapsOpened', {
                  date: `${fmt.shortDate(delivery.openedAt)} ${fmt.time(Date.parse(delivery.openedAt))}`,
                })}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
