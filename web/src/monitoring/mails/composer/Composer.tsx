import { useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import {
  type CaseMails,
  type CaseTemplate,
  caseTemplatesQuery,
  type Draft,
  type MailLanguage,
  uploadFile,
} from '~/api/queries/caseMails';
import { useOnline } from '~/ui/environment';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { isFramed } from '../frame';
import { MailFiles } from '../MailFiles';
import { announcesFile } from './attachmentWords';
import { BodyField, goToHole, HoleList } from './BodyField';
import { type Asked, ComposerDialog } from './ComposerDialog';
import { ComposerFoot } from './ComposerFoot';
import styles from './composer.module.css';
import { Arrived, OtherDraft } from './DraftNotice';
import { faultsOf, goToFault } from './faults';
import { isBlank, type Writing } from './localDraft';
import { OtherWritersLine } from './OtherWritersLine';
import { Recipients } from './Recipients';
import { SendButton, type SendWay } from './SendButton';
import { SiblingsLine, siblingsText } from './SiblingsLine';
import { useDraft } from './useDraft';
import { hasOtherWriters, useOtherWriters } from './useOtherWriters';
import { type FieldErrors, type SendOrder, useSend } from './useSend';

/** As much as the server takes of one file. */
const MOST_BYTES = 10 << 20;

/** As long as a line of a mail's head may be. */
const LONGEST_SUBJECT = 255;

interface Props {
  row: CaseRow;
  data: CaseMails;
  /** The own draft, if there is one. */
  stored: Draft | null;
  /** What a new mail begins with. */
  fresh: Writing;
  /** The last mail in sight. */
  seen: number | null;
  /** Mails that came since the composer was opened: whether one is of the advertiser. */
  arrived: 'reply' | 'own' | undefined;
  /** Begins with `fresh` although there is a draft, which is kept beside it. */
  instead: boolean;
  /** How often the templates were asked for from outside. */
  templatesAsked: number;
  /** How often it was asked from outside when the mail is to leave. */
  laterAsked: number;
  onShowArrived(): void;
  onSent(order: SendOrder): void;
  /** It is there, and the thread is smaller. */
  onShown(): void;
  /** The draft is kept. */
  onClose(): void;
}

/** Writes a mail of a case, below the thread. */
export function Composer({
  row,
  data,
  stored,
  fresh,
  seen,
  arrived,
  instead,
  templatesAsked,
  laterAsked,
  onShowArrived,
  onSent,
  onShown,
  onClose,
}: Props) {
  const { t } = useTranslation('mailsOfCases');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const online = useOnline();
  const draft = useDraft(row.id, stored, fresh, instead);
  const { writing, change } = draft;
  const [errors, setErrors] = useState<FieldErrors>({});
  const [asked, setAsked] = useState<Asked>();
  const [uploading, setUploading] = useState(0);
  const [named, setNamed] = useState<string>();
  const fileQuestionAsked = useRef(false);
  const otherWritersAsked = useRef(false);
  const [asking, setAsking] = useState(false);
  const { otherWriters, ask, typed } = useOtherWriters(row.id);
  const body = useRef<HTMLTextAreaElement>(null);
  const subject = useRef<HTMLInputElement>(null);

  const shown = useRef(onShown);
  useEffect(() => {
    body.current?.focus();
    shown.current();
  }, []);
  useEffect(() => {
    if (templatesAsked > 0) setAsked('templates');
  }, [templatesAsked]);
  useEffect(() => {
    if (laterAsked > 0) setAsked('later');
  }, [laterAsked]);

  const send = useSend({
    row,
    draft,
    seen,
    onSent: (_mail, order) => onSent(order),
    onRefused: setErrors,
  });

  const edit = (changed: Partial<Writing>) => {
    change(changed);
    typed();
    setErrors({});
  };

  const order = async (wanted: SendOrder) => {
    if (!online || asking || send.isPending) return;
    const found = faultsOf(writing, data.contacts, t);
    setErrors(found);
    if (Object.keys(found).length > 0) {
      setAsked(undefined);
      return goToFault(found, writing, subject.current, body.current);
    }
    const forgotten = writing.attachments.length === 0 && announcesFile(writing.body);
    if (forgotten && !fileQuestionAsked.current) {
      fileQuestionAsked.current = true;
      return setAsked({ forgottenFile: wanted });
    }
    if (!otherWritersAsked.current) {
      setAsking(true);
      const found = await ask();
      setAsking(false);
      if (hasOtherWriters(found)) {
        otherWritersAsked.current = true;
        return setAsked({ otherWriters: found, order: wanted });
      }
    }
    setAsked(undefined);
    send.mutate(wanted);
  };
  const sendNow = ({ after, next = false }: SendWay) => void order({ after: after ?? null, sendAt: null, next });

  const attach = async (files: readonly File[]) => {
    for (const file of files) {
      if (file.size > MOST_BYTES) {
        toast.error(t('fileTooBig', { name: file.name }));
        continue;
      }
      setUploading((count) => count + 1);
      try {
        const uploaded = await uploadFile(file);
        draft.attach(uploaded);
      } catch (error) {
        toast.error(t('fileFailed', { name: file.name }), errorText(error, common));
      } finally {
        setUploading((count) => count - 1);
      }
    }
  };

  const name = async (wanted: boolean) => {
    if (!wanted) {
      if (named) edit({ body: writing.body.replace(named, '').trimEnd() });
      return setNamed(undefined);
    }
    setNamed('');
    try {
      const text = await siblingsText(data.siblings, writing.language);
      setNamed(text);
      edit({ body: `${writing.body.trimEnd()}\n\n${text}`.trimStart() });
    } catch {
      setNamed(undefined);
      toast.error(common('generic.network'));
    }
  };

  /** Another language of the same template, as long as nothing of it was changed; a typed text stays. */
  const switchLanguage = async (language: MailLanguage) => {
    const before = queries.getQueryData<CaseTemplate[]>(caseTemplatesQuery(row.id, writing.language).queryKey);
    const used = before?.find(({ id }) => id === writing.templateId);
    edit({ language });
    if (!used || used.body !== writing.body || used.subject !== writing.subject) return;
    const offered = await queries.fetchQuery(caseTemplatesQuery(row.id, language)).catch(() => []);
    const same = offered.find(
      ({ type, label, reminder, brandId }) =>
        type === used.type && label === used.label && reminder === used.reminder && brandId === used.brandId,
    );
    if (same) change({ templateId: same.id, subject: same.subject, body: same.body });
  };

  const applyTemplate = (template: CaseTemplate, place: 'replace' | 'above') => {
    const text = place === 'above' ? `${template.body}\n\n${writing.body}` : template.body;
    const keepsSubject = place === 'above' && writing.subject.trim() !== '';
    edit({ templateId: template.id, body: text, ...(!keepsSubject && { subject: template.subject }) });
    setNamed(undefined);
    setAsked(undefined);
    requestAnimationFrame(() => body.current?.focus());
  };

  const onKeyDown = (event: KeyboardEvent) => {
    // Those of its dialogs come here as well.
    if (asked) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      sendNow({ next: event.shiftKey && isFramed() });
    } else if (event.key === 'Escape' && !event.defaultPrevented) {
      event.stopPropagation();
      onClose();
    }
  };

  return (
    <form
      className={styles.composer}
      aria-label={t('composer')}
      noValidate
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={onKeyDown}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach([...event.dataTransfer.files]);
      }}
    >
      <div className={styles.scroll}>
        <Recipients
          caseId={row.id}
          contacts={data.contacts}
          to={writing.to}
          error={errors.to}
          onChange={(to) => edit({ to })}
        />
        <SiblingsLine siblings={data.siblings} named={named !== undefined} onName={(wanted) => void name(wanted)} />
        {arrived && <Arrived replied={arrived === 'reply'} onShow={onShowArrived} />}
        <OtherDraft draft={draft} />
        <OtherWritersLine otherWriters={otherWriters} />
        <div className={styles.subject} data-error={errors.subject !== undefined || undefined}>
          <input
            ref={subject}
            aria-label={t('subject')}
            aria-invalid={errors.subject !== undefined}
            placeholder={t('subject')}
            maxLength={LONGEST_SUBJECT}
            value={writing.subject}
            onChange={(event) => edit({ subject: event.currentTarget.value })}
            onBlur={draft.saveSoon}
          />
        </div>
        {errors.subject && (
          <p className={styles.error} role="alert">
            {errors.subject}
          </p>
        )}
        <BodyField
          field={body}
          value={writing.body}
          error={errors.body}
          onChange={(text) => edit({ body: text })}
          onBlur={draft.saveSoon}
        />
        {errors.body && (
          <p className={styles.error} role="alert">
            {errors.body}
          </p>
        )}
        <HoleList
          subject={writing.subject}
          body={writing.body}
          onGo={(place, at) => goToHole(place === 'subject' ? subject.current : body.current, at)}
        />
        <MailFiles
          files={writing.attachments}
          onRemove={(file) => edit({ attachments: writing.attachments.filter((one) => one !== file) })}
        />
        {errors.attachments && (
          <p className={styles.error} role="alert">
            {errors.attachments}
          </p>
        )}
        {!online && (
          <p className={styles.offline} role="status">
            {t('draft.offlineLong')}
          </p>
        )}
      </div>
      <ComposerFoot
        language={writing.language}
        saving={draft.saving}
        savedAt={draft.savedAt}
        attaching={uploading > 0}
        onTemplates={() => setAsked('templates')}
        onLanguage={(language) => void switchLanguage(language)}
        onFiles={(files) => void attach(files)}
        onDiscard={() => (isBlank(writing) ? onClose() : setAsked('discard'))}
        onClose={onClose}
      >
        <SendButton
          ways={{ next: isFramed(), accept: 'accept' in row.links, refuse: 'refuse' in row.links }}
          sending={asking || send.isPending}
          disabled={!online || uploading > 0}
          onSend={sendNow}
          onLater={() => setAsked('later')}
        />
      </ComposerFoot>
      {asked && (
        <ComposerDialog
          asked={asked}
          caseId={row.id}
          writing={writing}
          sending={asking || send.isPending}
          onUse={applyTemplate}
          onSend={(wanted) => void order(wanted)}
          onDiscard={async () => {
            await draft.discard();
            onClose();
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </form>
  );
}
