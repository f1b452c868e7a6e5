import styles from './Live.module.css';

interface Props {
  label: string;
  /** Says more under the pointer. */
  title?: string;
}

/** A beating dot beside a word: what is shown here keeps up by itself. */
export function Live({ label, title }: Props) {
  return (
    <span className={styles.live} title={title}>
      {label}
    </span>
  );
}
