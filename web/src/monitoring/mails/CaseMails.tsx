import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { isUnreachable } from '~/api/errors';
import { type CaseRow, caseStream, reloadCases } from '~/api/queries/actions';
import { caseMailsQuery, reloadMails } from '~/api/queries/caseMails';
import { ErrorPanel, UnreachablePanel } from '~/ui/feedback';
import { useChangeStream } from '../cases/useChangeStream';
import styles from './CaseMails.module.css';
import { Conversation } from './Conversation';

/** How often mails are loaded again, in case the change stream of the case has missed something. */
const CHECKED_MS = 120_000;

/** Changes within this time are loaded together. */
const BURST_MS = 300;

interface Props {
  caseId: string;
  row: CaseRow;
}

/** The mails of a case as a conversation, and for staff the composer below it. */
export function CaseMails({ caseId, row }: Props) {
  const { data, error, refetch } = useQuery({ ...caseMailsQuery(caseId), refetchInterval: CHECKED_MS });
  useNews(caseId);
  const Panel = isUnreachable(error) ? UnreachablePanel : ErrorPanel;
  return (
    <div className={styles.mails}>
      {data ? (
        <Conversation key={caseId} caseId={caseId} row={row} data={data} />
      ) : error ? (
        <Panel onRetry={() => void refetch()} />
      ) : (
        <Waiting />
      )}
    </div>
  );
}

/** Loads the mails and the case again when somebody or something has changed the case. */
function useNews(caseId: string): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const load = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      void reloadMails(queries, caseId);
      void reloadCases(queries);
    }, BURST_MS);
  };
  useChangeStream(caseStream(caseId), { onEvent: load, onReopen: load });
}

/** The outline of a conversation until it is there. */
function Waiting() {
  const { t } = useTranslation('list');
  return (
    <div role="status" aria-busy="true" aria-label={t('loading')} className={styles.waiting}>
      <span className={styles.skeleton} />
      <span className={styles.skeleton} />
    </div>
  );
}
