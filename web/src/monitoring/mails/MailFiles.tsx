import { CloseButton } from '@mantine/core';
import { IconFile, IconPhoto } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { MailFile } from '~/api/queries/caseMails';
import { useFormats } from '~/ui/useFormats';
import styles from './mails.module.css';

const KILO = 1_000;

interface Props {
  files: readonly MailFile[];
  /** Takes one away; files of mails stay. */
  onRemove?: (file: MailFile) => void;
}

/** The files of a mail or draft: each with its size, to be downloaded or taken away. */
export function MailFiles({ files, onRemove }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const fmt = useFormats();
  const sizeOf = (bytes: number) =>
    bytes < KILO * KILO
      ? t('kilobytes', { size: fmt.count(Math.max(1, Math.round(bytes / KILO))) })
      : t('megabytes', { size: fmt.decimal(bytes / KILO / KILO) });
  if (files.length === 0) return null;
  return (
    <ul className={styles.files} aria-label={t('attachments')}>
      {files.map((file) => {
        const Mark = file.mimeType.startsWith('image/') ? IconPhoto : IconFile;
        return (
          <li key={file.id}>
            <Mark size={16} aria-hidden />
            {file.href ? (
              <a href={file.href} download={file.name}>
                {file.name}
              </a>
            ) : (
              <span>{file.name}</span>
            )}
            <span className={styles.dim}>{sizeOf(file.bytes)}</span>
            {onRemove && (
              <CloseButton size="xs" aria-label={t('removeFile', { name: file.name })} onClick={() => onRemove(file)} />
            )}
          </li>
        );
      })}
    </ul>
  );
}
