import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Where } from '~/lib/listSearch';
import type { Filters } from '../types';
import type { ListTexts } from './kinds';

/** Props of every kind of field. */
export interface FieldProps<Def> {
  def: Def;
  /** The filter's own part of the query key of its options: labels and searches of several lists are alike. */
  searchKey: readonly string[];
  label: string;
  value: Where | undefined;
  onChange(where: Where | undefined): void;
  texts: ListTexts;
  /** All filters being edited. */
  filters: Filters;
}

type Mode = 'inq' | 'nin' | 'contain' | 'exclude';

interface ModeSwitchProps<M extends Mode> {
  label: string;
  modes: readonly M[];
  value: M;
  onChange(mode: M): void;
}

/** Chooses, among `modes`, how a filter applies its values: any of them, none of them, contained or not. */
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

/** The mode of a filter, kept while it has no values. */
export function useMode<M extends Mode>(applied: M | undefined, first: M): [M, (mode: M) => void] {
  const [kept, setKept] = useState(applied ?? first);
  if (applied !== undefined && applied !== kept) setKept(applied);
  return [applied ?? kept, setKept];
}
