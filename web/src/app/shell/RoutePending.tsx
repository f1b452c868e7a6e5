import { Loader } from '@mantine/core';
import styles from './layouts/layouts.module.css';

/** Shown while a screen takes longer than a moment to load. */
export function RoutePending() {
  return (
    <div className={styles.pending}>
      <Loader />
    </div>
  );
}
