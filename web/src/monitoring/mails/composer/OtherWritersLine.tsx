import { IconPencil } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import styles from './composer.module.css';
import type { OtherWriters } from './useOtherWriters';

/** The others that write in the case, in words. */
export function useOtherWritersText() {
  const { t } = useTranslation('mailsOfCases');
  return ({ names, elsewhere }: OtherWriters): string | undefined => {
    if (names.length > 0) return t('otherWriters.writes', { names: names.join(', ') });
    return elsewhere ? t('otherWriters.elsewhere') : undefined;
  };
}

/** Says that somebody else writes in the case. */
export function OtherWritersLine({ otherWriters }: { otherWriters: OtherWriters }) {
  const text = useOtherWritersText()(otherWriters);
  if (!text) return null;
  return (
    <div className={styles.notice} role="status">
      <IconPencil size={17} aria-hidden />
      <p>{text}</p>
    </div>
  );
}
