import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { captureUseKey, captureUseQuery, nearQuota } from '~/api/queries/captureUse';
import { capacityQuery } from '~/api/queries/operations';
import { isAdmin, useMe } from '~/api/session';
import { Notice, PlanNotice } from '~/monitoring/PlanNotice';
import { useFormats } from '~/ui/useFormats';

/** Company accounts that are named; the rest are counted. */
const NAMED = 3;

/** By then the scheduler has planned what was changed. */
const PLANNED_WITHIN_MS = 3_000;

/** What limits the plan: for administrators the pace of the engines, for everybody the quotas of the company accounts that they see. */
export function CapacityNotices() {
  const isAdministrator = isAdmin(useMe());
  useFreshPlan();
  return (
    <>
      {isAdministrator && <PlanNotice />}
      <QuotaNotice />
    </>
  );
}

/** Loads the plan again once the scheduler has planned what the reader changed. */
function useFreshPlan() {
  const queries = useQueryClient();
  const changes = useIsMutating();
  const hasChanged = useRef(false);
  useEffect(() => {
    hasChanged.current ||= changes > 0;
    if (changes > 0 || !hasChanged.current) return undefined;
    const timer = setTimeout(() => {
      hasChanged.current = false;
      for (const queryKey of [capacityQuery.queryKey, captureUseKey]) void queries.invalidateQueries({ queryKey });
    }, PLANNED_WITHIN_MS);
    return () => clearTimeout(timer);
  }, [changes, queries]);
}

/** Names the company accounts whose planned or used captures are near their quota; nothing without any. */
function QuotaNotice() {
  const { t } = useTranslation('capacity');
  const fmt = useFormats();
  const { data } = useQuery(captureUseQuery);
  const near = (data ?? [])
    .flatMap((use) => {
      const found = nearQuota(use);
      return found ? [{ ...use, ...found }] : [];
    })
    .sort((one, other) => other.share - one.share);
  if (near.length === 0) return null;
  return (
    <Notice label={t('quota.title')}>
      {near.slice(0, NAMED).map(({ companyAccountID, name, figure, quota, planned, used, share }) => (
        <p key={companyAccountID}>
          {t(`quota.${figure}`, { company: name, quota, planned, used, share: fmt.share(share) })}
        </p>
      ))}
      {near.length > NAMED && <p>{t('quota.more', { count: near.length - NAMED })}</p>}
    </Notice>
  );
}
