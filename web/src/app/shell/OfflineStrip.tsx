import { IconWifiOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useOnline } from '~/ui/useOnline';
import styles from './strip.module.css';

/** Says that nothing new can arrive. */
export function OfflineStrip() {
  const { t } = useTranslation('common');
  const online = useOnline();
  return (
    <div role="status" className={online ? undefined : styles.strip}>
      {!online && (
        <>
          <IconWifiOff size={16} aria-hidden />
          <span>{t('offline.strip')}</span>
        </>
      )}
    </div>
  );
}
