import { UnstyledButton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import type { FilterEntry } from '../entries';
import styles from './fields.module.css';
import { type Describer, describeWhere } from './kinds';

interface Props {
  entry: FilterEntry;
  words: Describer;
  children: ReactNode;
}

/** A field behind its label and its value in words, until it is asked for. */
export function Folded({ entry: { def, label, valueNew }, words, children }: Props) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <>
      <UnstyledButton
        className={styles.fold}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <span className={styles.foldLabel}>{label}</span>
        <span className={styles.foldValue} data-set={valueNew ? true : undefined}>
          {valueNew ? describeWhere(def, valueNew, words) : words.list('anyDate')}
        </span>
        <IconChevronDown size={16} aria-hidden />
      </UnstyledButton>
      {open && (
        <div id={id} className={styles.unfolded}>
          {children}
        </div>
      )}
    </>
  );
}
