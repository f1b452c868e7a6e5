import { ActionIcon, Button, FileButton, SegmentedControl } from '@mantine/core';
import { IconPaperclip, IconTemplate, IconTrash, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { MAIL_LANGUAGES, type MailLanguage } from '~/api/queries/caseMails';
import styles from './composer.module.css';
import { SavingState } from './DraftNotice';
import type { Saving } from './useDraft';

interface Props {
  language: MailLanguage;
  saving: Saving;
  savedAt: string | undefined;
  attaching: boolean;
  onTemplates(): void;
  onLanguage(language: MailLanguage): void;
  onFiles(files: readonly File[]): void;
  onDiscard(): void;
  onClose(): void;
  /** The button that sends. */
  children: ReactNode;
}

/** The tools of the composer, how far the draft is saved, and sending. */
export function ComposerFoot(props: Props) {
  const { t } = useTranslation('mailsOfCases');
  return (
    <footer className={styles.foot}>
      <Button
        variant="default"
        leftSection={<IconTemplate size={17} aria-hidden />}
        title={t('templates.key')}
        onClick={props.onTemplates}
      >
        {t('templates.button')}
      </Button>
      <SegmentedControl
        size="xs"
        aria-label={t('language')}
        data={MAIL_LANGUAGES.map((value) => ({ value, label: value }))}
        value={props.language}
        onChange={(language) => props.onLanguage(language as MailLanguage)}
      />
      <FileButton multiple onChange={props.onFiles}>
        {(picking) => (
          <ActionIcon
            {...picking}
            size="lg"
            variant="subtle"
            color="gray"
            aria-label={t('attach')}
            title={t('attach')}
            loading={props.attaching}
          >
            <IconPaperclip size={19} aria-hidden />
          </ActionIcon>
        )}
      </FileButton>
      <ActionIcon
        size="lg"
        variant="subtle"
        color="gray"
        aria-label={t('draft.discard')}
        title={t('draft.discard')}
        onClick={props.onDiscard}
      >
        <IconTrash size={18} aria-hidden />
      </ActionIcon>
      <ActionIcon
        size="lg"
        variant="subtle"
        color="gray"
        aria-label={t('closeComposer')}
        title={t('closeComposer')}
        onClick={props.onClose}
      >
        <IconX size={18} aria-hidden />
      </ActionIcon>
      <span className={styles.gap} />
      <SavingState saving={props.saving} savedAt={props.savedAt} />
      {props.children}
    </footer>
  );
}
