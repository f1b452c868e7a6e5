import {
  type Icon,
  IconAlertTriangle,
  IconEye,
  IconHandStop,
  IconHourglass,
  IconPlayerPause,
  IconPlayerPlay,
  IconPower,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { StatusBadge, type Tone } from '~/ui/indicators';
import { useFormats } from '~/ui/useFormats';
import styles from './StopGo.module.css';

const LOOKS = {
  off: ['idle', IconPower],
  watching: ['good', IconEye],
  candidate: ['good', IconHourglass],
  stopping: ['busy', IconPlayerPause],
  stopped: ['idle', IconPlayerPause],
  resuming: ['busy', IconPlayerPlay],
  cooling: ['good', IconPlayerPlay],
  failing: ['bad', IconAlertTriangle],
  manual: ['warn', IconHandStop],
} as const satisfies Record<string, readonly [Tone, Icon]>;

export type LaneStateName = keyof typeof LOOKS;

export const isLaneState = (name: string): name is LaneStateName => name in LOOKS;

/** The state of a lane as icon and word, with how long it has been so. */
export function LaneState({ state, since }: { state: string; since: string }) {
  const { t } = useTranslation('stopGo');
  const fmt = useFormats();
  const known: LaneStateName = isLaneState(state) ? state : 'failing';
  const [tone, icon] = LOOKS[known];
  const seconds = Math.max(0, Math.round((Date.now() - new Date(since).getTime()) / 1000));
  return (
    <span className={styles.cell}>
      <StatusBadge tone={tone} icon={icon}>
        {t(`state.${known}`)}
      </StatusBadge>
      <span className={styles.dim}>{t('since', { age: fmt.span(seconds) })}</span>
    </span>
  );
}
