import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '~/ui/useFormats';
import { useOnline } from '~/ui/useOnline';
import styles from './ListScreen.module.css';

interface Props {
  query: { dataUpdatedAt: number; isPlaceholderData: boolean };
}

/** While the browser is offline, says when the rows in sight were loaded. */
export function RowsAge({ query: { dataUpdatedAt, isPlaceholderData } }: Props) {
  const { t } = useTranslation('list');
  const { time } = useFormats();
  const online = useOnline();
  // What stands in for rows that are not there yet has no time of its own.
  const loaded = useRef(0);
  useEffect(() => {
    if (!isPlaceholderData) loaded.current = dataUpdatedAt;
  }, [dataUpdatedAt, isPlaceholderData]);
  if (online) return null;
  const at = { time: time(isPlaceholderData ? loaded.current : dataUpdatedAt) };
  return <p className={styles.age}>{isPlaceholderData ? t('rowsOfBefore', at) : t('rowsOf', at)}</p>;
}
