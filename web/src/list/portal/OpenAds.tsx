import { IconZoomIn } from '@tabler/icons-react';
import tool from '~/ui/buttons.module.css';
import type { Tools } from '../types';

/** Marks buttons that open a portal: a click on one is no click outside the open portal. */
export const OPENS_PORTAL = 'data-opens-portal';

interface Props {
  row: { id: string };
  /** Name of the row. */
  title: string;
  tools: Tools;
}

/** The magnifier of a row, which toggles its ads; nothing in a list without ads. */
export function OpenAds({ row, title, tools: { t, showAds } }: Props) {
  if (!showAds) return null;
  return (
    <button
      type="button"
      className={tool.tool}
      aria-label={t('portal:open', { title })}
      title={t('portal:open', { title })}
      {...{ [OPENS_PORTAL]: '' }}
      onClick={() => showAds(row)}
    >
      <IconZoomIn size={16} aria-hidden />
    </button>
  );
}
