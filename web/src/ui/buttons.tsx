import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy, IconDotsVertical } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './buttons.module.css';

interface HintProps {
  label: string;
  /** Shown without hover. */
  opened?: boolean;
  children: ReactNode;
}

/** Its children with a tooltip that is mounted only while they are hovered or focused, or while `opened`: lists have hundreds of targets. */
export function Hint({ label, opened = false, children }: HintProps) {
  const place = useRef<HTMLSpanElement>(null);
  const [near, setNear] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its child is the control
    <span
      ref={place}
      style={{ display: 'inline-flex' }}
      onMouseEnter={() => setNear(true)}
      onMouseLeave={() => setNear(false)}
      onFocus={() => setNear(true)}
      onBlur={() => setNear(false)}
    >
      {children}
      {(near || opened) && <Tooltip target={place} label={label} opened />}
    </span>
  );
}

/** How long the outcome is shown. */
const OUTCOME_MS = 2_000;

type CopyState = 'idle' | 'copied' | 'failed';

/** Copies a text to the clipboard; `state` shows the outcome for two seconds, then is `idle` again. `copy` never rejects. */
export function useCopy(): { state: CopyState; copy(text: string): Promise<void> } {
  // An object, so that copying again restarts the timer.
  const [outcome, setOutcome] = useState<{ state: CopyState }>({ state: 'idle' });

  useEffect(() => {
    if (outcome.state === 'idle') return;
    const timer = setTimeout(() => setOutcome({ state: 'idle' }), OUTCOME_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  return {
    state: outcome.state,
    async copy(text) {
      try {
        // Absent outside secure contexts.
        await navigator.clipboard.writeText(text);
        setOutcome({ state: 'copied' });
      } catch {
        setOutcome({ state: 'failed' });
      }
    },
  };
}

interface CopyButtonProps {
  /** Computed on click. */
  text: () => string;
  label: string;
  /** Overrides the shared success text. */
  copied?: string;
  icon?: ReactNode;
}

/** An icon button that copies a text and shows the outcome for two seconds, as its icon and tooltip. */
export function CopyButton({ text, label, copied, icon = <IconCopy size={16} /> }: CopyButtonProps) {
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

/** A menu behind a ⋮ button; `children` are its items, `label` is the button's accessible name. */
export function RowMenu({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Menu position="bottom-end" width="max-content">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <IconDotsVertical size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
