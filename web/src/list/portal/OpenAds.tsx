import { IconZoomIn } from '@tabler/icons-react';
import tool from '~/ui/buttons.module.css';
import type { Tools } from '../types';

/** Marks what opens a portal: a click on it is not one beside the portal that is open. */
export const OPENS_PORTAL = 'data-opens-portal';

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
