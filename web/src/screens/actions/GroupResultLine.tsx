import { Button, CloseButton } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { CaseRow, GroupResult } from '~/api/queries/actions';
import type { Translate } from '~/list/types';
import { CaseLink } from '~/monitoring/cases/CaseLink';
import { useFormats } from '~/ui/useFormats';
import styles from './Actions.module.css';
import { groupResult } from './groupResult';

/** Refused cases that are named; more than these are only counted. */
const MOST_NAMED = 20;

/** What the last change of a group came to, in one line: how many were changed, and how many were refused in which status, with links to these. */
export function GroupResultLine() {
  const result = useSyncExternalStore(groupResult.subscribe, groupResult.get);
  // It belongs to this visit of the list.
  useEffect(() => () => groupResult.set(undefined), []);
  return (
    <div role="status" className={styles.place}>
      {result && <Line key={result.done} result={result} />}
    </div>
  );
}

function Line({ result: { act, done, refused } }: { result: GroupResult }) {
  const { t } = useTranslation(['actions', 'advertisers']);
  const own = t as Translate;
  const fmt = useFormats();
  const [open, setOpen] = useState(false);
  const found = [...new Set(refused.map(({ status }) => status))];
  const statuses = found.map((one) => {
    const status = own(`advertisers:status.${one}`);
    const count = refused.filter((row) => row.status === one).length;
    return found.length === 1 ? status : t('bulk.ofStatus', { count, status });
  });
  const Mark = refused.length > 0 ? IconAlertTriangle : IconCircleCheck;
  return (
    <div className={styles.result} data-refused={refused.length > 0 || undefined}>
      <Mark size={17} aria-hidden />
      <span>
        {[
          t(`bulk.done.${act}`, { count: done }),
          refused.length > 0 && t('bulk.refused', { count: refused.length, statuses: fmt.list(statuses) }),
        ]
          .filter(Boolean)
          .join(', ')}
      </span>
      {refused.length > 0 && (
        <Button size="compact-sm" variant="subtle" aria-expanded={open} onClick={() => setOpen(!open)}>
          {t(open ? 'bulk.hide' : 'bulk.show')}
        </Button>
      )}
      <CloseButton size="sm" aria-label={t('bulk.close')} onClick={() => groupResult.set(undefined)} />
      {open && <Refused rows={refused} />}
    </div>
  );
}

/** Links to the refused cases. */
function Refused({ rows }: { rows: readonly CaseRow[] }) {
  return (
    <ul className={styles.refused}>
      {rows.slice(0, MOST_NAMED).map(({ id, domain }) => (
        <li key={id}>
          <CaseLink id={id}>{domain}</CaseLink>
        </li>
      ))}
      {rows.length > MOST_NAMED && <li>+{rows.length - MOST_NAMED}</li>}
    </ul>
  );
}
