import { IconChevronLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ApiError, isUnreachable } from '~/api/errors';
import { type CaseRow, caseQuery } from '~/api/queries/actions';
import type { Tools, Translate } from '~/list/types';
import { CaseNext } from '~/monitoring/cases/CaseNext';
import { CaseSeen } from '~/monitoring/cases/CaseSeen';
import { CaseStatus } from '~/monitoring/cases/CaseStatus';
import { CopyDomain } from '~/monitoring/cases/CopyDomain';
import { OpenSite } from '~/monitoring/cases/OpenSite';
import { Countries, Engine } from '~/monitoring/cells';
import { ErrorPanel, UnreachablePanel } from '~/ui/feedback';
import { useOwnTitle } from '~/ui/pageTitle';
import { useFormats } from '~/ui/useFormats';
import styles from './Action.module.css';
import { CaseActs } from './CaseActs';
import { CaseHistory } from './CaseHistory';
import { CaseTags } from './CaseTags';

/** Ids of the server. */
const ID = /^\d{1,9}$/;

/** The page of one case, /action/$id. An unknown case and one that the reader may not see lead to the same page, /404. */
export function Action() {
  const { id = '' } = useParams({ strict: false });
  const isId = ID.test(id);
  const { data: row, error, refetch } = useQuery({ ...caseQuery(id), enabled: isId });
  const isGone = error instanceof ApiError && error.status === 404;
  if (!isId || isGone) return <Navigate to="/404" replace />;
  const Panel = isUnreachable(error) ? UnreachablePanel : ErrorPanel;
  return (
    <div className={styles.page}>
      <BackToActions />
      {row ? <Case row={row} /> : error ? <Panel onRetry={() => void refetch()} /> : <Waiting />}
    </div>
  );
}

/** A link to the list of actions. */
function BackToActions() {
  const { t } = useTranslation('common');
  return (
    <Link to="/actions" className={styles.back}>
      <IconChevronLeft size={16} aria-hidden />
      {t('title.actions')}
    </Link>
  );
}

/** A case: who advertises where, its status and what comes next, what the reader may do with it, its tags and its history. */
function Case({ row }: { row: CaseRow }) {
  const { t } = useTranslation(['actions', 'advertisers', 'market']);
  const common = useTranslation('common').t;
  const fmt = useFormats();
  const tools: Tools = { t: t as Translate, fmt };
  useOwnTitle(t('page.label', { list: common('title.actions'), brand: row.brand ?? '–', domain: row.domain }));
  const mails = [
    [t('received'), row.receivedCount],
    [t('sent'), row.sendedCount],
    [t('reminders'), row.remindedCount],
  ] as const;
  return (
    <>
      <header className={styles.panel}>
        <div className={styles.name}>
          <h1 className={styles.title} tabIndex={-1}>
            {row.domain}
          </h1>
          <OpenSite domain={row.domain} />
          <CopyDomain domain={row.domain} />
        </div>
        <div className={styles.line}>
          <Countries row={row} tools={tools} />
          <Engine row={row} tools={tools} />
          {row.brand && <strong className={styles.brand}>{row.brand}</strong>}
        </div>
        <div className={styles.line}>
          <CaseStatus row={row} tools={tools} />
          <CaseNext row={row} tools={tools} />
        </div>
        <div className={styles.line}>
          {row.createdDate && (
            <span className={styles.dim}>{t('page.firstSeen', { date: fmt.date(row.createdDate) })}</span>
          )}
          <CaseSeen row={row} tools={tools} />
        </div>
        <dl className={styles.mails}>
          {mails.map(([label, count]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{fmt.count(count)}</dd>
            </div>
          ))}
        </dl>
        <CaseActs row={row} />
      </header>
      <CaseTags row={row} />
      <CaseHistory row={row} tools={tools} />
    </>
  );
}

/** The outline of a case until it is there. */
function Waiting() {
  const { t } = useTranslation('list');
  return (
    <div role="status" aria-busy="true" aria-label={t('loading')} className={styles.waiting}>
      <span className={styles.skeleton} />
      <span className={styles.skeleton} />
      <span className={styles.skeleton} />
    </div>
  );
}
