import type { CaseRow } from '~/api/queries/actions';
import { dayjs } from '~/lib/dates';
import type { Tools } from '~/list/types';
import { isWaiting } from '~/monitoring/cases/CaseStatus';
import { asReason, type BlockedReason, blockedReason, blockedText } from '~/monitoring/cases/caseFacts';

/** What the reader can do about the next step. */
export type Way = 'answer' | 'write' | 'contact' | 'request' | 'force' | 'pause' | 'resume';

/** A way that leads to an e-mail. */
export type MailWay = Extract<Way, 'answer' | 'write'>;

export const isMail = (way: Way): way is MailWay => way === 'answer' || way === 'write';

/** What comes next in a case, in words. */
export interface Step {
  title: string;
  why: string;
  /** The ways that help here, the best first, as far as the server offers them. */
  ways: readonly Way[];
  /** It is our turn, or nothing moves until somebody acts. */
  needsUs: boolean;
}

/** The link of the server that each way needs; mails need none. */
const LINK_OF: Partial<Record<Way, string>> = {
  request: 'markAsRequested',
  force: 'forceReminder',
  pause: 'pause',
  resume: 'pause',
};

/** The way out of a block. */
const WAY_OUT: Readonly<Record<BlockedReason, readonly Way[]>> = {
  no_active_recipients: ['contact', 'force'],
  manually_notified_delay_passed: ['write', 'force'],
  reminder_quota_reached: ['force', 'write'],
  unknown: ['force', 'write'],
  manually_blocked: ['force', 'write'],
  fallback: ['force', 'write'],
};

/** What comes next in a case, with the texts of `action` and `actions`. */
export function nextStep(row: CaseRow, tools: Tools): Step {
  const step = describe(row, tools);
  const ways = step.ways.filter((way) => {
    const link = LINK_OF[way];
    return link === undefined || row.links[link] !== undefined;
  });
  return { ...step, ways };
}

/** The step with all ways that help, offered or not. */
function describe(row: CaseRow, tools: Tools): Step {
  const { t } = tools;
  const inWords = (title: string, why: string, ways: readonly Way[] = [], needsUs = false): Step => ({
    title: t(title),
    why: t(`action:step.why.${why}`),
    ways,
    needsUs,
  });
  switch (row.status) {
    case 'new':
    case 'reappearance':
      return inWords('actions:next.new', 'new', ['request']);
    case 'requested':
      if (row.next?.code === 'noContact') return inWords('action:step.noContact', 'noContact', ['contact'], true);
      if (row.next?.code === 'notification') return inWords('action:step.firstMail', 'notification');
      return inWords('actions:next.requested', 'requested', ['write'], true);
    case 'inprogress':
    case 'reminded':
      return ofOutreach(row, tools, inWords);
    case 'blocked': {
      const title = t('action:step.blocked', { reason: blockedText(row, t) });
      return { ...inWords('', 'blocked', WAY_OUT[blockedReason(row)], true), title };
    }
    default:
      return inWords(`action:step.${row.status}`, row.status);
  }
}

/** The step of a case in which mails are exchanged. */
function ofOutreach(
  row: CaseRow,
  { t, fmt }: Tools,
  inWords: (title: string, why: string, ways?: readonly Way[], needsUs?: boolean) => Step,
): Step {
  const { next } = row;
  if (!isWaiting(row) || next?.code === 'ours') {
    const ours = inWords('actions:next.ours', 'ours', ['answer', 'pause'], true);
    const days = row.lastReceived === undefined ? 0 : dayjs().diff(dayjs(row.lastReceived), 'day');
    if (days < 1) return ours;
    return { ...ours, why: t('action:step.why.oursSince', { count: days }) };
  }
  if (row.pausedUntil && next?.params.paused) {
    const title = t('action:step.paused', { date: fmt.shortDate(row.pausedUntil) });
    return { ...inWords('', 'paused', ['resume', 'pause']), title };
  }
  const date = next?.date ? fmt.shortDate(next.date) : '';
  switch (next?.code) {
    case 'reminder': {
      const { number, quota } = next.params;
      const title = t('action:step.quota', { number: number ?? 1, quota: quota ?? number ?? 1, date });
      return { ...inWords('', 'reminder', ['pause']), title };
    }
    case 'block': {
      const reason = t(`actions:blocked.${asReason(next.params.reason)}`);
      const title = t('actions:next.block', { date, reason });
      return { ...inWords('', 'block', ['pause']), title };
    }
    case 'noContact':
      return inWords('action:step.noContact', 'noContact', ['contact', 'pause'], true);
    case 'notification':
      return inWords('action:step.firstMail', 'notification', ['pause']);
    default:
      return row.links.forceReminder
        ? inWords('actions:next.nothing', 'nothing', ['force', 'pause'])
        : inWords('actions:next.nothing', 'nothingYet', ['contact', 'pause']);
  }
}
