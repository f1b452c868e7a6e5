import { Button } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type CaseRow, reloadCases } from '~/api/queries/actions';
import { type CaseMails, caseMailsQuery, type Mail } from '~/api/queries/caseMails';
import { isStaff, useMe } from '~/api/session';
import { lazyPart } from '~/ui/lazyPart';
import { freshMail, sameMail } from './composing';
import { isReachable } from './contacts';
import { CONTACTS } from './frameProtocol';
import { MailsHead } from './MailsHead';
import { Thread } from './Thread';
import { AnswerLine, NobodyLine } from './ThreadEnd';
import { isAutomatic, isUnread, lastOf, mailsAfter } from './thread';
import { useComposing } from './useComposing';
import { pressAtHost, tellStale, useHost } from './useHost';
import { useMailActs } from './useMailActs';
import { useMailKeys } from './useMailKeys';
import { useOpened } from './useOpened';
import { useSettled, useUndone } from './useThreadChanges';

const Composer = lazyPart(() => import('./composer/Composer').then((module) => module.Composer));
const ContactsModal = lazyPart(() => import('./ContactsModal').then((module) => module.ContactsModal));

/** The key of the page around the frame that opens the next case of its list. */
const NEXT_CASE = ']';

interface Props {
  caseId: string;
  row: CaseRow;
  data: CaseMails;
}

/** The thread of a case; staff act on its mails and write below it. */
export function Conversation({ caseId, row, data }: Props) {
  const { t } = useTranslation('mailsOfCases');
  const queries = useQueryClient();
  const staff = isStaff(useMe());
  const { opened, setOpen } = useOpened(data.mails);
  const { composing, compose, close } = useComposing(caseId);
  const [templatesAsked, setTemplatesAsked] = useState(0);
  const [laterAsked, setLaterAsked] = useState(0);
  const [contactsOpen, setContactsOpen] = useState(false);
  const list = useRef<HTMLElement>(null);
  const focusAnswer = useRef(false);
  const mails = useMemo(() => data.mails.filter(({ status }) => status !== 'draft'), [data.mails]);
  const canWrite = staff && data.contacts.some(isReachable);

  const countsChanged = useCallback(() => {
    tellStale();
    void reloadCases(queries);
  }, [queries]);
  /** What was sent is a draft again: it is in the composer. */
  const reopen = async () => {
    await queries.refetchQueries({ queryKey: caseMailsQuery(caseId).queryKey });
    countsChanged();
    compose(freshMail);
  };
  useSettled(mails, countsChanged);
  useUndone(caseId, () => void reopen());

  const acts = useMailActs(caseId, countsChanged, () => void reopen());
  const tools = useMemo(
    () => ({
      acts,
      staff,
      writeAgain: (mail: Mail) => compose((known) => sameMail(mail, known), true),
      openContacts: () => setContactsOpen(true),
      toggle: ({ id }: Mail) => setOpen(id, 'toggle'),
      markUnread: (mail: Mail) => {
        setOpen(mail.id, false);
        acts.read(mail, false);
      },
    }),
    [acts, compose, setOpen, staff],
  );

  const answer = () => {
    if (!canWrite) return;
    if (composing) list.current?.parentElement?.querySelector<HTMLElement>('form textarea')?.focus();
    else compose(freshMail);
  };
  const runKey = useMailKeys(list, {
    answer,
    // Without a composer these keys are the host's.
    templates: composing && (() => setTemplatesAsked((count) => count + 1)),
    later: composing && (() => setLaterAsked((count) => count + 1)),
    toggleRead: (id) => {
      const mail = mails.find((one) => one.id === id);
      if (!mail || !staff || mail.direction !== 'in') return;
      if (isUnread(mail)) acts.read(mail, true);
      else tools.markUnread(mail);
    },
  });
  useHost(row, (key) => {
    if (key === CONTACTS) setContactsOpen(staff);
    else runKey(key);
  });

  const scrollTo = useCallback((id: number | undefined) => {
    requestAnimationFrame(() => {
      const mail = list.current?.querySelector<HTMLElement>(`[data-mail="${id}"]`);
      const fits = (mail?.offsetHeight ?? 0) < (list.current?.clientHeight ?? 0);
      mail?.scrollIntoView({ block: fits ? 'end' : 'start' });
    });
  }, []);
  /** The mail that is answered stays in sight above the composer. */
  const showAnswered = () => {
    const answered = mails.findLast((mail) => mail.direction === 'in' && !isAutomatic(mail));
    if (answered) setOpen(answered.id, true);
    scrollTo((answered ?? mails.at(-1))?.id);
  };

  const since = composing ? mailsAfter(mails, composing.seen) : [];
  const arrived = since.length === 0 ? undefined : since.some(({ direction }) => direction === 'in') ? 'reply' : 'own';
  const newest = since.at(-1)?.id;
  const showArrived = useCallback(() => {
    if (newest === undefined) return;
    setOpen(newest, true);
    scrollTo(newest);
  }, [newest, scrollTo, setOpen]);
  // Its writer should know what has come before the mail is sent.
  useEffect(showArrived, [showArrived]);

  const leaveComposer = () => {
    close();
    setTemplatesAsked(0);
    setLaterAsked(0);
    focusAnswer.current = true;
  };
  const start = (
    <Button
      leftSection={<IconPencil size={17} aria-hidden />}
      onClick={() => {
        compose(freshMail);
        if (!data.draft) setTemplatesAsked(1);
      }}
    >
      {t(data.draft ? 'goOn' : 'writeFirst')}
    </Button>
  );
  return (
    <>
      <MailsHead
        caseId={caseId}
        count={mails.length}
        contacts={staff ? data.contacts : undefined}
        onContacts={() => setContactsOpen(true)}
      />
      <Thread
        caseId={caseId}
        mails={mails}
        contacts={data.contacts}
        history={row.history}
        opened={opened}
        tools={tools}
        list={list}
        start={canWrite && !composing ? start : undefined}
      />
      {staff && !canWrite && <NobodyLine onAdd={() => setContactsOpen(true)} />}
      {canWrite && !composing && mails.length > 0 && (
        <AnswerLine draft={data.draft} focused={focusAnswer.current} onAnswer={answer} />
      )}
      {composing && (
        <Composer
          key={composing.number}
          row={row}
          data={data}
          {...composing}
          seen={lastOf(mails)}
          arrived={arrived}
          templatesAsked={templatesAsked}
          laterAsked={laterAsked}
          onShown={showAnswered}
          onShowArrived={showArrived}
          onSent={({ next }) => {
            leaveComposer();
            if (next) pressAtHost(NEXT_CASE);
          }}
          onClose={leaveComposer}
        />
      )}
      {contactsOpen && (
        <ContactsModal caseId={caseId} onChange={countsChanged} onClose={() => setContactsOpen(false)} />
      )}
    </>
  );
}
