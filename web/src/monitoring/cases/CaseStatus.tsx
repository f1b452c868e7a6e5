import {
  type Icon,
  IconBan,
  IconBellRinging,
  IconCircleCheck,
  IconCircleX,
  IconEyeOff,
  IconGhost2,
  IconInbox,
  IconRefresh,
  IconSend,
  IconSparkles,
} from '@tabler/icons-react';
import type { Tools } from '~/list/types';
import styles from './cases.module.css';

const ICONS: Readonly<Record<string, Icon>> = {
  new: IconSparkles,
  reappearance: IconRefresh,
  ignored: IconEyeOff,
  accepted: IconCircleCheck,
  refused: IconCircleX,
  disappeared: IconGhost2,
  requested: IconInbox,
  inprogress: IconSend,
  reminded: IconBellRinging,
  blocked: IconBan,
};

interface Props {
  row: { status: string; waiting: boolean };
  /** With the texts of `advertisers` and `actions`. */
  tools: Tools;
}

/** Whether the advertiser has to answer. */
export const isWaiting = ({ status, waiting }: Props['row']): boolean =>
  waiting && (status === 'inprogress' || status === 'reminded');

/** The status of a case as a badge with colour, icon and text, and whether an answer is awaited. */
export function CaseStatus({ row, tools: { t } }: Props) {
  const Mark = ICONS[row.status] ?? IconInbox;
  return (
    <span className={styles.status} data-status={row.status}>
      <Mark size={14} aria-hidden />
      <span>
        <span className="sentence">{t(`advertisers:status.${row.status}`)}</span>
        {isWaiting(row) && <span className={styles.waiting}> · {t('actions:waiting')}</span>}
      </span>
    </span>
  );
}
