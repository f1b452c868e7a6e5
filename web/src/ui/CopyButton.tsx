import { IconAlertTriangle, IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Hint } from './Hint';
import styles from './tool.module.css';
import { useCopy } from './useCopy';

interface Props {
  /** The text to copy, made at the click. */
  text: () => string;
  label: string;
  /** What a success says, when that is not the text of all lists. */
  copied?: string;
  icon?: ReactNode;
}

/** A small button that copies a text and says for a moment how it went. */
export function CopyButton({ text, label, copied, icon = <IconCopy size={16} /> }: Props) {
  const { t } = useTranslation('list');
  const { state, copy } = useCopy();
  const shown = state === 'failed' ? t('copyFailed') : state === 'copied' ? (copied ?? t('copied')) : label;
  return (
    <Hint label={shown} opened={state !== 'idle'}>
      <button type="button" className={styles.tool} aria-label={label} onClick={() => copy(text())}>
        {state === 'copied' ? <IconCheck size={16} /> : state === 'failed' ? <IconAlertTriangle size={16} /> : icon}
        <span className="visually-hidden" aria-live="polite">
          {state === 'idle' ? '' : shown}
        </span>
      </button>
    </Hint>
  );
}
