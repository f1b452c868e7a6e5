import { UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import styles from './AppliedStrip.module.css';
import type { FilterEntry } from './entries';

interface Props {
  entries: readonly FilterEntry[];
  onRemove(name: string): void;
  onReset(): void;
}

/** The filters in force, each with a way to take it away, and a way back to the default. */
export function AppliedStrip({ entries, onRemove, onReset }: Props) {
  const { t } = useTranslation('list');
  if (entries.length === 0) return null;
  return (
    <ul className={styles.strip} aria-label={t('applied')}>
      {entries.map(({ name, label, description }) => (
        <li key={name} className={styles.chip}>
          <span className={styles.label}>{label}</span>
          <span className={styles.value} title={description}>
            {description}
          </span>
          <UnstyledButton className={styles.remove} aria-label={t('remove', { label })} onClick={() => onRemove(name)}>
            <IconX size={14} />
          </UnstyledButton>
        </li>
      ))}
      <li>
        <UnstyledButton className={styles.reset} onClick={onReset}>
          <span className="sentence">{t('resetAll')}</span>
        </UnstyledButton>
      </li>
    </ul>
  );
}
