import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import { isStaff, useMe } from '~/api/session';
import { lazyPart } from '~/ui/lazyPart';
import styles from './CaseAds.module.css';
import { Disclosure } from './Disclosure';

const Proof = lazyPart(() => import('~/monitoring/cases/Proof').then((module) => module.Proof), { texts: ['proof'] });
const Escalation = lazyPart(() => import('~/monitoring/cases/Escalation').then((module) => module.Escalation), {
  texts: ['proof'],
});

/** Whether the advertiser of a case kept its word, once it gave it, and for staff the complaint to the engine; each loads when it is opened. */
export function CaseProof({ row }: { row: CaseRow }) {
  const { t } = useTranslation('action');
  const staff = isStaff(useMe());
  if (!staff && !row.acceptedDate) return null;
  return (
    <div className={styles.ads}>
      {row.acceptedDate && (
        <Disclosure title={t('proof')}>
          <Proof id={row.ID} />
        </Disclosure>
      )}
      {staff && (
        <Disclosure title={t('complaint')}>
          <Escalation id={row.ID} />
        </Disclosure>
      )}
    </div>
  );
}
