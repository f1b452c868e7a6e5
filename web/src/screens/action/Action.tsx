import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ApiError, isUnreachable } from '~/api/errors';
import { caseQuery } from '~/api/queries/actions';
import { ErrorPanel, UnreachablePanel } from '~/ui/feedback';
import styles from './Action.module.css';
import { BackToList } from './CaseBar';
import { CasePage } from './CasePage';

/** Ids of the server. */
const ID = /^\d{1,9}$/;

/** The page of one case, /action/$id. An unknown case and one that the reader may not see lead to the same page, /404. */
export function Action() {
  const { id = '' } = useParams({ strict: false });
  const isId = ID.test(id);
  const { data: row, error, refetch } = useQuery({ ...caseQuery(id), enabled: isId });
  const isGone = error instanceof ApiError && error.status === 404;
  if (!isId || isGone) return <Navigate to="/404" replace />;
  if (row) return <CasePage key={row.id} row={row} />;
  const Panel = isUnreachable(error) ? UnreachablePanel : ErrorPanel;
  return (
    <div className={styles.page}>
      <header className={styles.bar}>
        <BackToList />
      </header>
      <div className={styles.waiting}>{error ? <Panel onRetry={() => void refetch()} /> : <Waiting />}</div>
    </div>
  );
}

/** The outline of a case until it is there. */
function Waiting() {
  const { t } = useTranslation('list');
  return (
    <div role="status" aria-busy="true" aria-label={t('loading')} className={styles.outline}>
      <span className={styles.skeleton} />
      <span className={styles.skeleton} />
      <span className={styles.skeleton} />
    </div>
  );
}
