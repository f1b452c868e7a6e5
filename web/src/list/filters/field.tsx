import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Where } from '~/lib/listSearch';
import type { Filters } from '../types';
import type { Describer } from './kinds';

/** What every kind of field works with. */
export interface FieldProps<Def> {
  def: Def;
  label: string;
  value: Where | undefined;
  onChange(where: Where | undefined): void;
  words: Describer;
  /** The other filters, as they stand while this one is edited. */
  filters: Filters;
}

export type Mode = 'inq' | 'nin' | 'contain' | 'exclude';

interface ModeSwitchProps<M extends Mode> {
  label: string;
  modes: readonly M[];
  value: M;
  onChange(mode: M): void;
}

/** Chooses how a filter applies its values. */
export function ModeSwitch<M extends Mode>({ label, modes, value, onChange }: ModeSwitchProps<M>) {
  const { t } = useTranslation('list');
  return (
    <SegmentedControl
      size="xs"
      w="fit-content"
      aria-label={t('mode.label', { label })}
      value={value}
      data={modes.map((mode) => ({ value: mode, label: <span className="sentence">{t(`mode.${mode}`)}</span> }))}
      onChange={onChange}
    />
  );
}

/** How a filter applies its values; kept while it has none. */
export function useMode<M extends Mode>(applied: M | undefined, first: M): [M, (mode: M) => void] {
  const [kept, setKept] = useState(applied ?? first);
  if (applied !== undefined && applied !== kept) setKept(applied);
  return [applied ?? kept, setKept];
}
