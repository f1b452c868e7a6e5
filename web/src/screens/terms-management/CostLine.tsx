import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle, IconTrendingDown, IconTrendingUp } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type PlanChange, type PlanCost, planCostQuery } from '~/api/queries/planCost';
import type { TermTarget } from '~/api/queries/settingTerms';
import { useFormats } from '~/ui/useFormats';
import styles from './SettingTerms.module.css';

const COST_DELAY_MS = 300;
const DAYS_A_MONTH = 30.5;

interface Props {
  target: TermTarget;
  change: PlanChange;
  /** What the server does not know of the change. */
  note?: string | undefined;
}

/** What a change of terms would cost, asked from the server once the choice rests. */
export function ChangeCost({ target, change, note }: Props) {
  // A text, since a new object would start the delay again at every render.
  const [settled] = useDebouncedValue(JSON.stringify(change), COST_DELAY_MS);
  const { data, isError, isPlaceholderData } = useQuery({
    ...planCostQuery(target, JSON.parse(settled)),
    placeholderData: keepPreviousData,
  });
  const isCurrent = settled === JSON.stringify(change) && !isPlaceholderData;
  return <CostLine cost={isCurrent ? data : undefined} failed={isError} note={note} />;
}

interface LineProps {
  /** Undefined while it is calculated. */
  cost: PlanCost | undefined;
  failed: boolean;
  note?: string | undefined;
}

/** A cost in one line, in a warning colour if the plan cannot be kept. */
export function CostLine({ cost, failed, note }: LineProps) {
  const { t } = useTranslation(['settingTerms', 'market']);
  const fmt = useFormats();
  const words = useCaptures();
  const isBeyond = cost?.engines.some(({ share }) => share.after > 1) ?? false;
  const shares = cost?.engines.map(({ engine, country, share }) => {
    const of = { engine: t(`market:engine.${engine as 'google'}`), share: fmt.share(share.after) };
    return country ? t('cost.shareIn', { ...of, country: fmt.country(country) }) : t('cost.share', of);
  });
  const isLess = cost !== undefined && cost.perDay.after < cost.perDay.before;
  const Icon = isBeyond ? IconAlertTriangle : isLess ? IconTrendingDown : IconTrendingUp;
  return (
    <div className={styles.cost} role="status" data-beyond={isBeyond || undefined}>
      <Icon size={18} aria-hidden />
      <div>
        <p>
          {cost && [words(cost.perDay), ...(shares ?? [])].join(', ')}
          {!cost && (failed ? t('cost.failed') : t('cost.loading'))}
        </p>
        {isBeyond && <p>{t('cost.beyond')}</p>}
        {note && <p className={styles.hint}>{note}</p>}
      </div>
    </div>
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
