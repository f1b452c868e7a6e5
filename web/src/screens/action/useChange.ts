import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ServerLink } from '~/api/links';
import { type CaseRow, caseQuery, changeCase, isRefusedChange } from '~/api/queries/actions';
import { newOperation } from '~/api/queries/undo';
import { dayjs } from '~/lib/dates';
import { place } from '~/list/cards/place';
import { useWho } from '~/monitoring/history/who';
import { toast } from '~/ui/toast';
import { offerUndo } from '~/ui/undo';
import { useFormats } from '~/ui/useFormats';

/** A change with the link that it is offered by. */
interface Change {
  link: ServerLink;
  body?: object | undefined;
  /** Says that it is done. */
  done: string;
  /** The link of the changed case that takes the change back, where the life of cases has one. */
  takenBackBy?: string | undefined;
}

/**
 * Makes a change of a case and says that it is done. Where the case has changed meanwhile and does not allow it, the page has the fresh case, and who
 * changed it is said; throws when it fails otherwise.
 */
export function useChange(row: CaseRow): (change: Change) => Promise<void> {
  const { t } = useTranslation(['action', 'actions', 'advertisers', 'common']);
  const queries = useQueryClient();
  const fmt = useFormats();
  const who = useWho();

  const whatHappened = (): string => {
    const fresh = queries.getQueryData(caseQuery(row.id).queryKey)?.rows.at(0);
    const last = fresh?.history.at(-1);
    if (!last?.date || last.ID === row.history.at(-1)?.ID) return t('actions:changedMeanwhile');
    const isToday = dayjs(last.date).isSame(dayjs(), 'day');
    const said = {
      time: isToday ? fmt.time(new Date(last.date).getTime()) : fmt.minute(last.date),
      status: t(`advertisers:status.${last.status}` as 'advertisers:status.new'),
    };
    if (last.actor) return t(isToday ? 'changedBy' : 'changedByOn', { ...said, who: who(last.actor) });
    return t(isToday ? 'changedAutomatically' : 'changedAutomaticallyOn', said);
  };

  /** Offers to take a change back; both changes stay in the history. */
  const offerBack = (done: string, name: string) => {
    const cached = () => queries.getQueryData(caseQuery(row.id).queryKey)?.rows.at(0);
    if (!cached()?.links[name]) return false;
    const undo = async () => {
      const fresh = cached();
      const back = fresh?.links[name];
      if (fresh && back) await changeCase(queries, fresh, back);
    };
    offerUndo({
      operation: newOperation(),
      undo,
      text: t('common:labelled', { label: row.domain, value: done }),
      changes: [],
    });
    return true;
  };

  return async ({ link, body, done, takenBackBy }) => {
    try {
      await changeCase(queries, row, link, body);
      if (!takenBackBy || !offerBack(done, takenBackBy)) toast.success(done);
    } catch (error) {
      if (!isRefusedChange(error)) throw error;
      toast.warning(whatHappened());
    } finally {
      place.clear();
    }
  };
}
