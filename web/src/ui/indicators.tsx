import {
  IconAlertTriangle,
  IconArchive,
  IconCircleCheck,
  IconCircleX,
  IconLoader,
  IconPlayerPause,
} from '@tabler/icons-react';
import styles from './indicators.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'paused' | 'archived';

const ICONS = {
  good: IconCircleCheck,
  bad: IconCircleX,
  warn: IconAlertTriangle,
  busy: IconLoader,
  paused: IconPlayerPause,
  archived: IconArchive,
};

/** A state by colour, icon and text, never by colour alone. */
export function StatusBadge({ tone, children }: { tone: Tone; children: string }) {
  const Icon = ICONS[tone];
  return (
    <span className={styles.badge} data-tone={tone}>
      <Icon size={14} aria-hidden />
      {children}
    </span>
  );
}

interface LiveProps {
  label: string;
  /** Text of the tooltip. */
  title?: string;
}

/** A pulsing dot and a label: this page updates by itself. */
export function Live({ label, title }: LiveProps) {
  return (
    <span className={styles.live} title={title}>
      {label}
    </span>
  );
}
