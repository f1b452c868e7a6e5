import { ActionIcon, Tooltip } from '@mantine/core';
import { IconArrowLeft, IconArrowRight, IconChevronLeft, IconChevronRight, IconKeyboard } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useCasesOpen } from '~/api/flags';
import type { CaseRow } from '~/api/queries/actions';
import type { Tools } from '~/list/types';
import { CaseStatus } from '~/monitoring/cases/CaseStatus';
import { CopyDomain } from '~/monitoring/cases/CopyDomain';
import { blockedText } from '~/monitoring/cases/caseFacts';
import { OpenSite } from '~/monitoring/cases/OpenSite';
import { People } from '~/monitoring/cases/People';
import { usePresence } from '~/monitoring/cases/usePresence';
import { Countries, Engine } from '~/monitoring/cells';
import { Hint } from '~/ui/buttons';
import styles from './Action.module.css';
import type { Opened } from './acts';
import type { Position } from './usePosition';

/** The list that the page leads back to; undefined while lists are not open to the reader. */
export function useWayBack() {
  const { t } = useTranslation('common');
  const origin = useLocation({ select: ({ state }) => state.originList });
  const isOpen = useCasesOpen();
  const to = origin?.path ?? ('/actions' as const);
  const list = t(to === '/todo' ? 'title.todo' : 'title.actions');
  return { to, search: origin?.search ?? {}, list, isOpen };
}

/** A link to the list that the case was opened from, as it was there, or else to all actions; nothing where lists are not open to the reader. */
export function BackToList() {
  const { t } = useTranslation('action');
  const { to, search, list, isOpen } = useWayBack();
  if (!isOpen) return null;
  return (
    <Hint label={`${t('back', { list })} (Esc)`}>
      <Link to={to} search={search} className={styles.back} aria-label={t('back', { list })}>
        <IconArrowLeft size={19} aria-hidden />
      </Link>
    </Hint>
  );
}

interface Props {
  row: CaseRow;
  tools: Tools;
  position: Position | undefined;
  onOpen(opened: Opened): void;
  /** At its end: what the reader may do. */
  children: ReactNode;
}

/** What a case is: brand and domain, market, status and dates; where it is in its list; and what the reader may do with it. */
export function CaseBar({ row, tools, position, onOpen, children }: Props) {
  const { t } = useTranslation(['action', 'list']);
  const { list } = useWayBack();
  const people = usePresence(row.id);
  const { fmt } = tools;
  const first = row.history.at(0)?.date ?? row.createdDate;
  const dates = { first: first ? fmt.date(first) : '–', last: row.lastView ? fmt.date(row.lastView) : '–' };
  return (
    <header className={styles.bar}>
      <div className={styles.who}>
        <BackToList />
        <h1 className={styles.title} tabIndex={-1}>
          <span className={styles.list}>{list} - </span>
          <span className={styles.brand}>{row.brand ?? '–'}</span>
          <span className={styles.slash}> / </span>
          <span className={styles.domain}>{row.domain}</span>
        </h1>
        <OpenSite domain={row.domain} />
        <CopyDomain domain={row.domain} />
      </div>
      <div className={styles.facts}>
        <Countries row={row} tools={tools} />
        <Engine row={row} tools={tools} iconOnly />
        <Status row={row} tools={tools} />
        <span className={styles.dates} title={t('dates', dates)}>
          <span className="visually-hidden">{t('dates', dates)}</span>
          <span aria-hidden>{dates.first}</span>
          <IconArrowRight size={14} aria-hidden />
          <span aria-hidden>{dates.last}</span>
        </span>
      </div>
      <div className={styles.end}>
        <People people={people} />
        {position && <Place position={position} tools={tools} />}
        <Hint label={`${t('list:keys.open')} (?)`}>
          <ActionIcon
            className={styles.help}
            variant="subtle"
            color="gray"
            size={34}
            aria-label={t('list:keys.open')}
            aria-keyshortcuts="?"
            onClick={() => onOpen('help')}
          >
            <IconKeyboard size={18} />
          </ActionIcon>
        </Hint>
        {children}
      </div>
    </header>
  );
}

/** The status; of a blocked case with the reason in full beside it, and in a tooltip. */
function Status({ row, tools }: { row: CaseRow; tools: Tools }) {
  if (row.status !== 'blocked') return <CaseStatus row={row} tools={tools} />;
  const reason = blockedText(row, tools.t);
  return (
    <>
      <Tooltip label={reason}>
        <span className={styles.anchor}>
          <CaseStatus row={row} tools={tools} />
        </span>
      </Tooltip>
      <span className={styles.reason}>{reason}</span>
    </>
  );
}

/** Where the case is in its list, with buttons that open its neighbours. */
function Place({ position: { at, total, previous, next }, tools }: { position: Position; tools: Tools }) {
  const { t } = useTranslation('action');
  return (
    <nav className={styles.position} aria-label={t('position.label')}>
      <Step label={t('position.previous')} letter="[" open={previous}>
        <IconChevronLeft size={17} />
      </Step>
      <span title={t('position.at', { at, total })}>
        <strong>{tools.fmt.count(at)}</strong>/{tools.fmt.count(total)}
      </span>
      <Step label={t('position.next')} letter="]" open={next}>
        <IconChevronRight size={17} />
      </Step>
    </nav>
  );
}

interface StepProps {
  label: string;
  letter: string;
  /** Undefined where there is no neighbour. */
  open: (() => void) | undefined;
  children: ReactNode;
}

function Step({ label, letter, open, children }: StepProps) {
  return (
    <Hint label={`${label} (${letter})`}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        aria-label={label}
        aria-keyshortcuts={letter}
        disabled={!open}
        onClick={() => open?.()}
      >
        {children}
      </ActionIcon>
    </Hint>
  );
}
