import { Button } from '@mantine/core';
import { IconArrowBackUp, IconUserPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Draft } from '~/api/queries/caseMails';
import styles from './CaseMails.module.css';

interface AnswerProps {
  draft: Draft | null;
  /** Takes the focus, which the composer had. */
  focused: boolean;
  onAnswer(): void;
}

/** Opens the composer, for an answer or with the draft, whose beginning is beside it. */
export function AnswerLine({ draft, focused, onAnswer }: AnswerProps) {
  const { t } = useTranslation('mailsOfCases');
  return (
    <div className={styles.answer}>
      <Button
        leftSection={<IconArrowBackUp size={17} aria-hidden />}
        title={t('answerKey')}
        aria-keyshortcuts="r"
        autoFocus={focused}
        onClick={onAnswer}
      >
        {t(draft ? 'goOn' : 'answer')}
      </Button>
      {draft && <p>{[draft.subject, draft.body].filter(Boolean).join(' - ')}</p>}
    </div>
  );
}

/** Says that nobody can be written to, and offers to add somebody. */
export function NobodyLine({ onAdd }: { onAdd(): void }) {
  const { t } = useTranslation('mailsOfCases');
  return (
    <div className={styles.noContact}>
      <p>{t('contacts.nobody')}</p>
      <Button size="compact-md" variant="default" leftSection={<IconUserPlus size={16} aria-hidden />} onClick={onAdd}>
        {t('contacts.add')}
      </Button>
    </div>
  );
}
