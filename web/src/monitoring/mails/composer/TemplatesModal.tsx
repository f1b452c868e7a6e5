import { Button, Loader, TextInput } from '@mantine/core';
import { IconSearch, IconTemplate } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CaseTemplate, caseTemplatesQuery, type MailLanguage } from '~/api/queries/caseMails';
import { withoutAccents } from '~/lib/accents';
import { EmptyState, ErrorPanel } from '~/ui/feedback';
import { ModalFrame } from '~/ui/form/FormModal';
import styles from './composer.module.css';
import { piecesOf } from './holes';

interface Props {
  caseId: string;
  language: MailLanguage;
  /** There is a text, which a template would replace. */
  typed: boolean;
  onUse(template: CaseTemplate, place: 'replace' | 'above'): void;
  onClose(): void;
}

const textOf = ({ label, subject, body }: CaseTemplate): string => withoutAccents(`${label} ${subject} ${body}`);

/** Chooses a template by its words, with its text as it will be in this case. */
export function TemplatesModal({ caseId, language, typed, onUse, onClose }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const { data: templates, isError, refetch } = useQuery(caseTemplatesQuery(caseId, language));
  const [words, setWords] = useState('');
  const [picked, setPicked] = useState<number>();
  const wanted = withoutAccents(words.trim());
  const found = templates?.filter((template) => textOf(template).includes(wanted)) ?? [];
  const shown = found.find(({ id }) => id === picked) ?? found[0];
  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !shown) return;
    event.preventDefault();
    const next = found[Math.min(found.length - 1, Math.max(0, found.indexOf(shown) + step))];
    setPicked(next?.id);
  };
  return (
    <ModalFrame title={t('templates.title')} size="xl" onClose={onClose}>
      <TextInput
        data-autofocus
        type="search"
        aria-label={t('templates.search')}
        placeholder={t('templates.search')}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && shown && !typed) onUse(shown, 'replace');
          else move(event);
        }}
      />
      {!templates && (isError ? <ErrorPanel onRetry={() => void refetch()} /> : <Loader my="lg" />)}
      {templates && !shown && (
        <EmptyState
          icon={<IconTemplate size={26} />}
          title={t(templates.length === 0 ? 'templates.none' : 'templates.noneFound')}
        />
      )}
      {shown && (
        <>
          <div className={styles.templates}>
            <ul className={styles.templateList} aria-label={t('templates.title')}>
              {found.map((template) => (
                <li key={template.id}>
                  <button type="button" aria-pressed={template.id === shown.id} onClick={() => setPicked(template.id)}>
                    <strong>{labelOf(template, t(`kind.${template.type}`))}</strong>
                    <span>{template.subject}</span>
                  </button>
                </li>
              ))}
            </ul>
            <section className={styles.preview} aria-label={t('templates.preview')}>
              <h3>
                <Marked text={shown.subject} />
              </h3>
              <p>
                <Marked text={shown.body} />
              </p>
              {shown.holes.length > 0 && (
                <p className={styles.holesNote}>{t('templates.holes', { count: shown.holes.length })}</p>
              )}
            </section>
          </div>
          <div className={styles.modalFoot}>
            {typed && <p className={styles.dim}>{t('templates.typed')}</p>}
            {typed && (
              <Button variant="default" onClick={() => onUse(shown, 'above')}>
                {t('templates.above')}
              </Button>
            )}
            <Button onClick={() => onUse(shown, 'replace')}>{t(typed ? 'templates.replace' : 'templates.use')}</Button>
          </div>
        </>
      )}
    </ModalFrame>
  );
}

/** The name of a template; one without is named by its kind, a reminder with its number. */
export function labelOf({ label, reminder }: CaseTemplate, kind: string): string {
  return label || (reminder === null ? kind : `${kind} ${reminder}`);
}

/** A text with its gaps marked. */
function Marked({ text }: { text: string }) {
  return piecesOf(text).map(({ text: piece, hole }, at) =>
    hole ? <mark key={at}>{piece}</mark> : <span key={at}>{piece}</span>,
  );
}
