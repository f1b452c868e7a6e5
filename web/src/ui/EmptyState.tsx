import type { ReactNode } from 'react';
import styles from './panel.module.css';

interface Props {
  icon: ReactNode;
  title: string;
  text?: string;
  action?: ReactNode;
}

/** Says why there is nothing to see, and what to do about it. */
export function EmptyState({ icon, title, text, action }: Props) {
  return (
    <div className={styles.panel} role="status">
      <div className={styles.icon}>{icon}</div>
      <p className={styles.title}>{title}</p>
      {text && <p className={styles.text}>{text}</p>}
      {action}
    </div>
  );
}
