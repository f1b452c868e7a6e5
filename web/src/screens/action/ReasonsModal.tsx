import { Modal } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { CaseRow } from '~/api/queries/actions';
import { useReturnFocus } from '~/ui/useReturnFocus';
import styles from './Action.module.css';
import { ACTS } from './acts';

/** Says of each act that is not offered when it is (decision D42). */
export function ReasonsModal({ row, onClose }: { row: CaseRow; onClose(): void }) {
  useReturnFocus();
  const { t } = useTranslation(['action', 'actions', 'advertisers']);
  const common = useTranslation('common').t;
  const missing = ACTS.filter(({ link }) => row.links[link] === undefined);
  const status = t(`advertisers:status.${row.status}` as 'advertisers:status.new');
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('reasons.title')}
      centered
      closeButtonProps={{ 'aria-label': common('close') }}
    >
      <p className={styles.effect}>{t('reasons.lead', { status })}</p>
      <dl className={styles.reasons}>
        {missing.map(({ act, Icon }) => (
          <div key={act}>
            <dt>
              <Icon size={16} aria-hidden />
              <span className="sentence">{t(`actions:act.${act}`)}</span>
            </dt>
            <dd>{t(`reasons.${act}`)}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
