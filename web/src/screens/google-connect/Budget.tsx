import { Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { googleBudgetQuery } from '~/api/queries/google';
import { dayjs } from '~/lib/dates';
import { useFormats } from '~/ui/useFormats';
import styles from './GoogleConnect.module.css';

/** Days before the end of the version from which on it is told. */
const WARN_DAYS = 60;
const FULL = 100;

/** The operations of the last 24 hours of those allowed, and what keeps Google Ads from being asked. */
export function Budget() {
  const { t } = useTranslation('google');
  const fmt = useFormats();
  const { data, isError } = useQuery(googleBudgetQuery);
  if (!data) return isError ? <span className={styles.dim}>{t('budget.failed')}</span> : null;
  const { operations, limit, pausedUntil, pausedBecause, version, versionEnds } = data;
  const ends = dayjs(versionEnds).diff(dayjs(), 'day') < WARN_DAYS;
  return (
    <span className={styles.budget}>
      <span>
        {limit > 0 ? t('budget.usedOf', { count: operations, limit }) : t('budget.used', { count: operations })}
      </span>
      {limit > 0 && (
        <Progress
          value={Math.min(FULL, (operations / limit) * FULL)}
          aria-label={t('budget.title')}
          className={styles.meter}
        />
      )}
      {pausedUntil && (
        <span role="alert" className={styles.warning}>
          {t('budget.paused', { time: fmt.minute(pausedUntil), reason: pausedBecause ?? '' })}
        </span>
      )}
      {ends && <span className={styles.warning}>{t('budget.version', { version, date: fmt.date(versionEnds) })}</span>}
    </span>
  );
}
