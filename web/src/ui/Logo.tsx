import { PRODUCT } from '~/ui/pageTitle';
import styles from './Logo.module.css';

/** The mark, with the product's name unless `compact`. */
export function Logo({ compact = false }: { compact?: boolean }) {
  return (
    <span className={styles.logo}>
      <svg
        className={styles.mark}
        viewBox="0 0 32 32"
        role="img"
        aria-label={compact ? PRODUCT : undefined}
        aria-hidden={!compact}
      >
        <rect width="32" height="32" rx="8" fill="#545ed9" />
        <path
          d="M4.5 16S9 8.5 16 8.5 27.5 16 27.5 16 23 23.5 16 23.5 4.5 16 4.5 16Z"
          fill="none"
          stroke="#fff"
          strokeWidth="2.2"
          strokeLinejoin="round"
        />
        <circle cx="16" cy="16" r="4.2" fill="#fff" />
        <circle cx="17.4" cy="14.6" r="1.3" fill="#545ed9" />
      </svg>
      {!compact && <span className={styles.name}>{PRODUCT}</span>}
    </span>
  );
}
