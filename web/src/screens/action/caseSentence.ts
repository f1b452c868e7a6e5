import type { CaseRow } from '~/api/queries/actions';
import type { Tools } from '~/list/types';
import { timelineOf } from '~/monitoring/cases/timeline';

/** Statuses at which a case begins, or begins again. */
const BEGINNINGS: readonly string[] = ['new', 'reappearance'];

/** What has happened in a case since it began, and when its ads were seen last: 'Notified on 02/09, reminded twice. Ad last seen on 14/10.' */
export function caseSentence(row: CaseRow, { t, fmt }: Tools): string {
  const nodes = timelineOf(row.history);
  const begun = nodes.findLastIndex(({ status }) => BEGINNINGS.includes(status));
  const since = nodes.slice(Math.max(0, begun));
  // A case that has gone on says so; its beginning matters only while there is nothing else.
  const shown = since.length > 1 ? since.slice(1) : since;
  const parts = shown.map(({ status, date, earlier }) =>
    status === 'reminded'
      ? t('action:story.reminded', { count: earlier.length + 1 })
      : t(`action:story.${status}`, { date: date ? fmt.shortDate(date) : '–' }),
  );
  const hasAnswered =
    row.receivedCount > 0 && !row.waiting && (row.status === 'inprogress' || row.status === 'reminded');
  if (hasAnswered) parts.push(t('action:story.answered'));
  const happened = parts.join(', ');
  const sentence = happened === '' ? '' : `${happened.charAt(0).toUpperCase()}${happened.slice(1)}. `;
  return `${sentence}${row.lastView ? t('action:story.seen', { date: fmt.shortDate(row.lastView) }) : ''}`.trim();
}
