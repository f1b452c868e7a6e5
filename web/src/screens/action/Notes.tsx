import { ActionIcon, Tabs, Textarea } from '@mantine/core';
import { IconSend2 } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerLink } from '~/api/links';
import type { CaseRow } from '~/api/queries/actions';
import { addCaseNote, type CaseNote, caseNotesQuery, NOTE_SUBJECTS } from '~/api/queries/caseDetails';
import { Hint } from '~/ui/buttons';
import { ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import styles from './Notes.module.css';

/** Characters of a note, as many as the server takes. */
const LONGEST_NOTE = 5_000;

/** A note that was changed later than this after it was written is marked as edited. */
const EDITED_AFTER_MS = 5_000;

/** Marks the field of the notes in sight, for the key that leads there. */
export const NOTE_FIELD = 'data-note-field';

/** The notes that a case has links for: about itself, its advertiser, and its advertiser in all countries. */
export const offeredNotes = ({ links }: CaseRow) =>
  NOTE_SUBJECTS.flatMap(({ subject, get, add }) => {
    const read = links[get];
    return read ? [{ subject, get: read, add: links[add] }] : [];
  });

/** The notes about a case and its advertiser, a tab each, with a field that adds to them. */
export function Notes({ row }: { row: CaseRow }) {
  const { t } = useTranslation('action');
  const offered = offeredNotes(row);
  const [first] = offered;
  if (!first) return null;
  return (
    <section className={styles.notes} aria-label={t('notes.label')}>
      <Tabs defaultValue={first.subject} classNames={{ list: styles.noteTabs, tab: styles.noteTab }}>
        <Tabs.List>
          {offered.map(({ subject }) => (
            <Tabs.Tab key={subject} value={subject}>
              {t(`notes.${subject}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {offered.map(({ subject, get, add }) => (
          <Tabs.Panel key={subject} value={subject}>
            <NoteList get={get} />
            {add && <NoteField links={{ get, add }} />}
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  );
}

/** The notes behind a link, the newest first. */
function NoteList({ get }: { get: ServerLink }) {
  const { t } = useTranslation('action');
  const { data, isError, refetch } = useQuery(caseNotesQuery(get));
  if (!data && isError) return <ErrorPanel onRetry={() => void refetch()} />;
  if (data?.length === 0) return <p className={styles.noNote}>{t('notes.empty')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <ul className={styles.noteList} tabIndex={0} aria-busy={!data} aria-label={t('notes.label')}>
      {[...(data ?? [])].reverse().map((note) => (
        <Note key={note.ID} note={note} />
      ))}
    </ul>
  );
}

const isEdited = ({ createdDate, updatedDate }: CaseNote): boolean =>
  new Date(updatedDate ?? Number.NaN).getTime() - new Date(createdDate ?? Number.NaN).getTime() > EDITED_AFTER_MS;

/** A note with its author and date. */
function Note({ note }: { note: CaseNote }) {
  const { t } = useTranslation('action');
  const fmt = useFormats();
  const { user, createdDate, message } = note;
  const name = [user?.firstname, user?.lastname].filter(Boolean).join(' ') || t('notes.deletedUser');
  return (
    <li>
      <p className={styles.noteBy}>
        <strong>{name}</strong> {createdDate && <time dateTime={createdDate}>{fmt.minute(createdDate)}</time>}
        {isEdited(note) && <span> · {t('notes.edited')}</span>}
      </p>
      <p className={styles.noteText}>{message}</p>
    </li>
  );
}

/** Writes a note; the text stays until it is written. */
function NoteField({ links }: { links: { get: ServerLink; add: ServerLink } }) {
  const { t } = useTranslation('action');
  const queries = useQueryClient();
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState('');
  const { mutate, isPending } = useMutation({
    mutationFn: (message: string) => addCaseNote(queries, links, message),
    onSuccess: (_, sent) => {
      // What was typed meanwhile is another note.
      setText((now) => (now === sent ? '' : now));
      field.current?.focus();
    },
    onError: () => toast.error(t('notes.failed')),
  });
  const isBlank = text.trim() === '';
  const send = () => !isBlank && !isPending && mutate(text);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
    if (event.key === 'Escape') field.current?.blur();
  };
  return (
    <div className={styles.noteField}>
      <Textarea
        ref={field}
        autosize
        minRows={1}
        maxRows={8}
        maxLength={LONGEST_NOTE}
        aria-label={t('notes.write')}
        aria-keyshortcuts="n"
        placeholder={t('notes.write')}
        rightSection={
          <kbd className={styles.key} aria-hidden>
            n
          </kbd>
        }
        value={text}
        {...{ [NOTE_FIELD]: '' }}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <Hint label={`${t('notes.send')} (Ctrl+Enter)`}>
        <ActionIcon
          size={36}
          variant="light"
          aria-label={t('notes.send')}
          disabled={isBlank}
          loading={isPending}
          onClick={send}
        >
          <IconSend2 size={18} />
        </ActionIcon>
      </Hint>
    </div>
  );
}
