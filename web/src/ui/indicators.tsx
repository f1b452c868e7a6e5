import { type Icon, IconAlertTriangle, IconCircleCheck, IconCircleX, IconLoader } from '@tabler/icons-react';
import styles from './indicators.module.css';

export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

const ICONS = {
  good: IconCircleCheck,
  bad: IconCircleX,
  warn: IconAlertTriangle,
  busy: IconLoader,
  idle: IconLoader,
};

interface BadgeProps {
  tone: Tone;
  /** In place of that of the tone. */
  icon?: Icon;
  children: string;
}

/** A state as a badge with colour, icon and text, never by colour alone. */
export function StatusBadge({ tone, icon: Mark = ICONS[tone], children }: BadgeProps) {
  return (
    <span className={styles.badge} data-tone={tone}>
      <Mark size={14} aria-hidden />
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
