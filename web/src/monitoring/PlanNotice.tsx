import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { capacityQuery } from '~/api/queries/operations';
import { sumOf, worstOf } from '~/lib/capacity';
import { useFormats } from '~/ui/useFormats';
import styles from './PlanNotice.module.css';

const DAY_MS = 86_400_000;

/** A warning above other content; `label` names it. */
export function Notice({ label, link, children }: { label: string; link?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles.notice} aria-label={label}>
      <IconAlertTriangle size={18} aria-hidden />
      <div className={styles.texts} role="status">
        {children}
      </div>
      {link}
    </section>
  );
}

/** Says that more is planned in the next 24 hours than an engine may be asked; nothing while the plan can be kept. For administrators. */
export function PlanNotice() {
  const { t } = useTranslation(['capacity', 'market']);
  const fmt = useFormats();
  const { data } = useQuery(capacityQuery);
  const worst = data && worstOf(data.routes, data.asOf);
  if (!data || !worst) return null;
  const { route, from, to } = worst;
  // A whole day begins and ends at the same time of day.
  const time = (at: Date) => (to.getTime() - from.getTime() < DAY_MS ? fmt.time(at.getTime()) : fmt.dateTime(at));
  const words = {
    from: time(from),
    to: time(to),
    engine: t(`market:engine.${route.engine}`, { defaultValue: route.engine }),
  };
  const over = sumOf(data.routes.map((one) => one.over));
  return (
    <Notice
      label={t('title')}
      link={
        <Link to="/operations" search={{ tab: 'capacity' }} className={styles.link}>
          {t('show')}
        </Link>
      }
    >
      <p>
        <strong>{route.proxy ? t('tooMuchThrough', { ...words, proxy: route.proxy }) : t('tooMuch', words)}</strong>{' '}
        {t('late', { count: over })}
      </p>
    </Notice>
  );
}
