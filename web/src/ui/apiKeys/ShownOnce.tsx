import { Button, Code, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { CopyButton } from '../buttons';
import styles from '../entries.module.css';

interface Props {
  secret: string;
  /** Asks to copy it now. */
  title: string;
  /** What it is. */
  label: string;
  copyLabel: string;
  doneLabel: string;
  onDone(): void;
  /** How to try it. */
  children?: ReactNode;
}

/** A new secret, to be copied now. */
export function ShownOnce({ secret, title, label, copyLabel, doneLabel, onDone, children }: Props) {
  return (
    <Stack gap="xs" role="status">
      <Text fw={600}>{title}</Text>
      <Group gap="xs" wrap="nowrap">
        <Code className={styles.secret ?? ''} aria-label={label}>
          {secret}
        </Code>
        <CopyButton text={() => secret} label={copyLabel} />
      </Group>
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone}>{doneLabel}</Button>
      </Group>
    </Stack>
  );
}
