import { IconZoomIn } from '@tabler/icons-react';
import type { Tools } from '../types';
import styles from './OpenAds.module.css';
import { OPENS_PORTAL } from './opener';

interface Props {
  row: { id: string };
  /** The row in the reader's words. */
  title: string;
  tools: Tools;
}

/** The magnifier of a row: opens the ads under it, and closes them again. */
export function OpenAds({ row, title, tools: { t, showAds } }: Props) {
  if (!showAds) return null;
  return (
    <button
      type="button"
      className={styles.open}
      aria-label={t('portal:open', { title })}
      title={t('portal:open', { title })}
      {...{ [OPENS_PORTAL]: '' }}
      onClick={() => showAds(row)}
    >
      <IconZoomIn size={16} aria-hidden />
    </button>
  );
}
