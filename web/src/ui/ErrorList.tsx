import { Alert } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import styles from './ErrorList.module.css';

/** What is wrong with what was sent, over its form. */
export function ErrorList({ errors }: { errors: readonly string[] }) {
  if (errors.length === 0) return null;
  return (
    <Alert color="red" icon={<IconAlertCircle />} role="alert">
      <ul className={styles.errors}>
        {errors.map((error) => (
          <li key={error}>{error}</li>
        ))}
      </ul>
    </Alert>
  );
}
