import { IconChevronLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ApiError, isUnreachable } from '~/api/errors';
import { type CaseRow, caseQuery } from '~/api/queries/actions';
import { CaseMails } from '~/monitoring/mails/CaseMails';
import { isFramed } from '~/monitoring/mails/frame';
import { ErrorPanel, UnreachablePanel } from '~/ui/feedback';
import { useOwnTitle } from '~/ui/pageTitle';
import styles from './CaseMailsPage.module.css';

/** Ids of the server. */
const ID = /^\d{1,9}$/;

/** The mails of one case, alone or in the frame of its page. An unknown case and one that the reader may not see lead to the same page, /404. */
export function CaseMailsPage() {
  const { id = '' } = useParams({ strict: false });
  const isId = ID.test(id);
  const { data: row, error, refetch } = useQuery({ ...caseQuery(id), enabled: isId });
  const isGone = error instanceof ApiError && error.status === 404;
  if (!isId || isGone) return <Navigate to="/404" replace />;
  const Panel = isUnreachable(error) ? UnreachablePanel : ErrorPanel;
  if (!row) return error ? <Panel onRetry={() => void refetch()} /> : null;
  return <Page row={row} />;
}

function Page({ row }: { row: CaseRow }) {
  const { t } = useTranslation('mailsOfCases');
  const framed = isFramed();
  useOwnTitle(t('pageTitle', { brand: row.brand ?? '–', domain: row.domain }));
  return (
    <div className={styles.page} data-framed={framed || undefined}>
      {!framed && (
        <Link to="/action/$id" params={{ id: row.id }} className={styles.back}>
          <IconChevronLeft size={16} aria-hidden />
          {t('backToCase')}
        </Link>
      )}
      <h1 className={framed ? 'visually-hidden' : styles.title} tabIndex={-1}>
        {row.brand && <span>{row.brand} / </span>}
        {row.domain}
      </h1>
      <div className={styles.mails}>
        <CaseMails caseId={row.id} row={row} />
      </div>
    </div>
  );
}
