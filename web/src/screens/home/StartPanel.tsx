import { Button } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  doneSteps,
  newestCompaniesQuery,
  postpone,
  postponedQuery,
  START_STEPS,
  startQuery,
} from '~/api/queries/start';
import { useMe } from '~/api/session';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './Home.module.css';

/**
 * Offers the guided start of a new company, of those that have no captures and that the reader did not say 'not now' of: the newest without a
 * brand or else the newest. Nothing while that is not known.
 */
export function StartPanel() {
  const newest = useQuery(newestCompaniesQuery).data;
  const postponed = useQuery(postponedQuery).data;
  if (!newest || !postponed) return null;
  const offered = newest.filter(
    ({ value, hasViews }) => !hasViews && !postponed.some(({ name }) => name === String(value)),
  );
  const company = offered.find(({ hasBrand }) => !hasBrand) ?? offered[0];
  return company ? <Offer id={Number(company.value)} /> : null;
}

/** The next step of a company, as far as steps are left. */
function Offer({ id }: { id: number }) {
  const { t } = useTranslation('start');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const start = useQuery(startQuery(id, useMe())).data;
  const { mutate, isPending } = useMutation({
    mutationFn: () => postpone(id),
    onError: (error) => toast.error(errorText(error, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: postponedQuery.queryKey }),
  });
  if (!start) return null;
  const done = doneSteps(start);
  const next = START_STEPS.find((step) => !done[step]);
  if (!next || done.captures) return null;
  return (
    <section className={styles.startPanel} aria-labelledby="guided-start">
      <IconRoute size={22} aria-hidden />
      <div className={styles.startText}>
        <h2 id="guided-start" className={styles.startTitle}>
          {t('panel.title', { company: start.company.label })}
        </h2>
        <p>{t('panel.next', { step: t(`step.${next}`) })}</p>
      </div>
      <Button variant="subtle" color="gray" loading={isPending} onClick={() => mutate()}>
        {t('notNow')}
      </Button>
      <Button renderRoot={(props) => <Link to="/start" search={{ company: id }} {...props} />}>
        {t('panel.continue')}
      </Button>
    </section>
  );
}
