import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import { isStaff, useMe } from '~/api/session';
import { useKeys } from '~/list/cards/useKeys';
import type { Tools, Translate } from '~/list/types';
import { askMails, type MailsAsked } from '~/monitoring/mails/askMails';
import { CaseMailFrame } from '~/monitoring/mails/CaseMailFrame';
import { lazyPart } from '~/ui/lazyPart';
import { useOwnTitle } from '~/ui/pageTitle';
import { useFormats } from '~/ui/useFormats';
import styles from './Action.module.css';
import type { Opened } from './acts';
import { CaseActs, useBegin } from './CaseActs';
import { CaseAds } from './CaseAds';
import { CaseBar, useWayBack } from './CaseBar';
import { CaseHistory, HistoryModal } from './CaseHistory';
import { CaseProof } from './CaseProof';
import { CaseStrip } from './CaseStrip';
import { CaseTabs, panelId, type Tab, tabId } from './CaseTabs';
import { CaseTagModal, CaseTags } from './CaseTags';
import { Conversations } from './Conversations';
import { MailButton, NextStep } from './NextStep';
import { NOTE_FIELD, Notes } from './Notes';
import { isMail, nextStep } from './nextStep';
import { useLayout } from './useLayout';
import { usePosition } from './usePosition';

const ConversationsModal = lazyPart(() => import('./ConversationsModal').then((module) => module.ConversationsModal));
const ReasonsModal = lazyPart(() => import('./ReasonsModal').then((module) => module.ReasonsModal));
const CaseKeyHelp = lazyPart(() => import('./CaseKeyHelp').then((module) => module.CaseKeyHelp));

/**
 * A case: what comes next and what has happened, its mails, its notes and its ads; in columns side by side where there is room, else behind tabs. The
 * mails stay as they are when another tab is chosen.
 */
export function CasePage({ row }: { row: CaseRow }) {
  const { t } = useTranslation(['actions', 'action', 'advertisers', 'market']);
  const fmt = useFormats();
  const tools: Tools = { t: t as Translate, fmt };
  const layout = useLayout();
  const me = useMe();
  const staff = isStaff(me);
  const [tab, setTab] = useState<Tab>(staff ? 'mails' : 'case');
  const [opened, setOpened] = useState<Opened>();
  const position = usePosition(row.id);
  const { list } = useWayBack();
  useOwnTitle(t('page.label', { list, brand: row.brand ?? '–', domain: row.domain }));

  const askAboutMail = (what: MailsAsked) => {
    setTab('mails');
    askMails(what);
  };
  const writeNote = () => {
    setTab('notes');
    // The tab may be drawn by this very step.
    requestAnimationFrame(() => {
      const fields = document.querySelectorAll<HTMLElement>(`[${NOTE_FIELD}]`);
      [...fields].find((field) => field.offsetParent !== null)?.focus();
    });
  };
  useCaseKeys({ row, position, opened, onOpen: setOpened, onNote: writeNote, onTab: setTab });

  const mailWay = staff ? nextStep(row, tools).ways.find(isMail) : undefined;
  const isShown = (one: Tab) => layout !== 'tabs' || tab === one;
  const panel = (one: Tab) =>
    layout === 'tabs' ? { id: panelId(one), role: 'tabpanel', 'aria-labelledby': tabId(one), hidden: tab !== one } : {};
  const close = () => setOpened(undefined);
  const step = (brief: boolean) => (
    <NextStep row={row} tools={tools} opened={opened} onOpen={setOpened} onMail={askAboutMail} brief={brief} />
  );
  return (
    <div className={styles.page} data-layout={layout}>
      <CaseBar row={row} tools={tools} position={position} onOpen={setOpened}>
        {layout !== 'tabs' && <CaseActs row={row} opened={opened} onOpen={setOpened} />}
      </CaseBar>
      {layout === 'tabs' && <CaseTabs row={row} tab={tab} onTab={setTab} />}
      <div className={styles.columns}>
        {layout === 'strip' && <CaseStrip row={row} tools={tools} step={step(false)} onOpen={setOpened} />}
        {layout !== 'strip' && (
          <div className={styles.left} {...panel('case')}>
            {isShown('case') && (
              <>
                {step(false)}
                <CaseTags row={row} onOpen={setOpened} />
                <CaseHistory row={row} tools={tools} onOpen={setOpened} />
                <Conversations row={row} tools={tools} onOpen={setOpened} />
              </>
            )}
          </div>
        )}
        <div className={styles.mails} {...panel('mails')}>
          {layout === 'tabs' && tab === 'mails' && step(true)}
          <div className={styles.frame}>
            <CaseMailFrame row={row} />
          </div>
        </div>
        <div className={styles.right}>
          <div {...panel('notes')}>
            <Notes row={row} />
          </div>
          <div className={styles.adsPlace} {...panel('ads')}>
            <CaseAds row={row} />
            <CaseProof row={row} />
          </div>
        </div>
      </div>
      {layout === 'tabs' && (
        <div className={styles.bottom}>
          {mailWay && <MailButton way={mailWay} onMail={askAboutMail} />}
          <CaseActs row={row} opened={opened} onOpen={setOpened} {...(mailWay && { buttons: 1 })} />
        </div>
      )}
      {opened === 'tags' && <CaseTagModal row={row} onClose={close} />}
      {opened === 'history' && <HistoryModal row={row} tools={tools} onClose={close} />}
      {opened === 'conversations' && <ConversationsModal row={row} tools={tools} onClose={close} />}
      {opened === 'reasons' && <ReasonsModal row={row} onClose={close} />}
      {opened === 'help' && <CaseKeyHelp onClose={close} />}
    </div>
  );
}

interface KeysProps {
  row: CaseRow;
  position: ReturnType<typeof usePosition>;
  opened: Opened | undefined;
  onOpen(opened: Opened | undefined): void;
  onNote(): void;
  onTab(tab: Tab): void;
}

/** Hears the keys of the page; those of the mails are heard by the mails. */
function useCaseKeys({ row, position, opened, onOpen, onNote, onTab }: KeysProps): void {
  const me = useMe();
  const navigate = useNavigate();
  const { to, search, isOpen } = useWayBack();
  const { begin } = useBegin(row, onOpen);
  const latest = useRef(opened);
  latest.current = opened;
  /** What was open when the key was pressed. */
  const openedBefore = useRef(opened);
  useEffect(() => {
    const remember = () => {
      openedBefore.current = latest.current;
    };
    // Before anything that closes by the key.
    window.addEventListener('keydown', remember, true);
    return () => window.removeEventListener('keydown', remember, true);
  }, []);
  useKeys(me.id, {
    '[': () => position?.previous?.(),
    ']': () => position?.next?.(),
    a: () => begin('accept'),
    f: () => begin('refuse'),
    m: () => begin('inprogress'),
    b: () => begin('block'),
    i: () => begin('ignore'),
    t: () => onOpen('tags'),
    n: onNote,
    z: () => {
      if (!row.links.pause) return;
      onTab('case');
      onOpen('pause');
    },
    '/': () => onOpen('conversations'),
    'g a': () => void navigate({ to: '/actions' }),
    'g t': () => void navigate({ to: '/todo' }),
    Escape: () => {
      // The focus may not be in what is open yet, and what is open may have closed by the same press.
      if (openedBefore.current) onOpen(undefined);
      else if (isOpen) void navigate({ to, search });
    },
    '?': () => onOpen('help'),
  });
}
