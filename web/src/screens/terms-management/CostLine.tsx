import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle, IconGauge, IconTrendingDown, IconTrendingUp } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type PlanChange, type PlanCost, planCostQuery } from '~/api/queries/planCost';
import type { TermTarget } from '~/api/queries/settingTerms';
import { useFormats } from '~/ui/useFormats';
import styles from './CostLine.module.css';

/** How long a choice rests before its cost is asked for. */
export const COST_DELAY_MS = 300;
const DAYS_A_MONTH = 30.5;

interface Props {
  target: TermTarget;
  change: PlanChange;
}

/** What a change of terms does to captures a day, the load of engines and the quotas of companies; asked once the change has been the same for a while. */
export function ChangeCost({ target, change }: Props) {
  // A text, since a new object would start the delay again at every render.
  const [settled] = useDebouncedValue(JSON.stringify(change), COST_DELAY_MS);
  const { data, isError, isPlaceholderData } = useQuery({
    ...planCostQuery(target, JSON.parse(settled)),
    placeholderData: keepPreviousData,
  });
  const isCurrent = settled === JSON.stringify(change) && !isPlaceholderData;
  return <CostLine cost={isCurrent ? data : undefined} failed={isError} />;
}

interface LineProps {
  /** Undefined while it is calculated. */
  cost: PlanCost | undefined;
  failed: boolean;
  note?: string | undefined;
}

/** A cost in one line, with a bar for each engine and each quota of a company account; in a warning colour if the plan cannot be kept. */
export function CostLine({ cost, failed, note }: LineProps) {
  const { t } = useTranslation(['settingTerms', 'market']);
  const fmt = useFormats();
  const words = useCaptures();
  const isTooMuch = cost?.engines.some(({ share }) => share.after > 1 && share.after > share.before) ?? false;
  const refused = cost?.quotas.filter(({ quota, perMonth }) => isRefused(quota, perMonth)) ?? [];
  const isLess = cost !== undefined && cost.perDay.after < cost.perDay.before;
  const isBeyond = isTooMuch || refused.length > 0;
  const shares = cost?.engines.map(({ engine, country, share }) => {
    const of = { engine: t(`market:engine.${engine as 'google'}`), share: fmt.share(share.after) };
    return country ? t('cost.shareIn', { ...of, country: fmt.country(country) }) : t('cost.share', of);
  });
  const isMore = cost !== undefined && cost.perDay.after > cost.perDay.before;
  const Icon = isBeyond ? IconAlertTriangle : isLess ? IconTrendingDown : isMore ? IconTrendingUp : IconGauge;
  return (
    <div className={styles.cost} role="status" data-beyond={isBeyond || undefined}>
      <Icon size={18} aria-hidden />
      <div className={styles.parts}>
        <p>
          {cost && [words(cost.perDay), ...(shares ?? [])].join(', ')}
          {!cost && (failed ? t('cost.failed') : t('cost.loading'))}
        </p>
        {cost?.engines.map(({ engine, country, share }) => (
          <LoadBar key={`${engine} ${country}`} {...share} />
        ))}
        {cost?.quotas.map(({ companyAccountID, name, quota, perMonth }) => (
          <div key={companyAccountID} className={styles.parts}>
            <p>{t('cost.quota', { name, captures: fmt.count(perMonth.after), quota: fmt.count(quota) })}</p>
            <LoadBar before={perMonth.before / Math.max(quota, 1)} after={perMonth.after / Math.max(quota, 1)} />
          </div>
        ))}
        {isTooMuch && <p>{t('cost.beyond')}</p>}
        {refused.map(({ companyAccountID, name }) => (
          <p key={companyAccountID}>{t('cost.overQuota', { name })}</p>
        ))}
        {note && <p className={styles.note}>{note}</p>}
      </div>
    </div>
  );
}

/** Whether the server refuses a change for a quota: it plans more than that, and more than before. */
const isRefused = (quota: number, { before, after }: { before: number; after: number }): boolean =>
  after > quota && after > before;

/** Shares of a whole before and after a change; the text beside it says the same. */
function LoadBar({ before, after }: { before: number; after: number }) {
  const percent = (share: number) => `${Math.min(Math.max(share, 0), 1) * 100}%`;
  const isMore = after > before;
  return (
    <span className={styles.bar} data-over={after > 1 || undefined} aria-hidden>
      <span
        className={styles.changed}
        data-less={!isMore || undefined}
        style={{ width: percent(Math.max(before, after)) }}
      />
      <span className={styles.kept} style={{ width: percent(Math.min(before, after)) }} />
    </span>
  );
}

/** Says how many captures more or fewer: a day or, if it is less than one a day, a month. */
function useCaptures() {
  const { t } = useTranslation('settingTerms');
  const fmt = useFormats();
  return ({ before, after }: PlanCost['perDay']): string => {
    const added = after - before;
    const isDaily = Math.abs(added) >= 1;
    const shown = Math.round(isDaily ? added : added * DAYS_A_MONTH);
    if (shown === 0) return t('cost.same');
    const of = { count: Math.abs(shown), captures: fmt.signed(shown) };
    return isDaily ? t('cost.perDay', of) : t('cost.perMonth', of);
  };
}
