import { Button, Group, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../buttons';
import styles from './secondFactor.module.css';

interface Props {
  codes: readonly string[];
  onDone(): void;
}

/** New recovery codes, to be kept now: they are never shown again. */
export function RecoveryCodes({ codes, onDone }: Props) {
  const { t } = useTranslation('secondFactor');
  const text = `${codes.join('\n')}\n`;
  return (
    <Stack gap="sm" role="status">
      <Text fw={600}>{t('keep')}</Text>
      <Text size="sm">{t('keepText')}</Text>
      <ul className={styles.codes} aria-label={t('codes')}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group justify="space-between">
        <Group gap="xs">
          <CopyButton text={() => text} label={t('copyCodes')} />
          <Button
            component="a"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
            download={t('file')}
            variant="default"
            leftSection={<IconDownload size={16} />}
          >
            {t('download')}
          </Button>
        </Group>
        <Button onClick={onDone}>{t('kept')}</Button>
      </Group>
    </Stack>
  );
}
