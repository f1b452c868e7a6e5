import { Alert } from '@mantine/core';
import { IconListCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import {
  changeTerms,
  type SettingTermRow,
  settingTermsKey,
  showChange,
  type TermFields,
  type TermTarget,
} from '~/api/queries/settingTerms';
import { offerUndo } from '~/ui/undo';

export interface ChangeProps extends TermTarget {
  /** `changed` says whether anything was. */
  onClose(changed?: boolean): void;
}

/** How many terms a change is about. */
export const countOf = ({ rows, whole }: TermTarget): number => whole?.count ?? rows.length;

/** The name of one term, or how many they are. */
export function useName(target: TermTarget): string {
  const { t } = useTranslation('settingTerms');
  const count = countOf(target);
  return count === 1 && target.rows[0] ? target.rows[0].term : t('several', { count });
}

/** What all terms have; undefined where they differ, or are not all loaded. */
export function common<Value>({ rows, whole }: TermTarget, of: (row: SettingTermRow) => Value): Value | undefined {
  const [first, ...others] = rows.map(of);
  const same = !whole && others.every((other) => JSON.stringify(other) === JSON.stringify(first));
  return same ? first : undefined;
}

/** A change of terms and how it shows on their rows. */
interface Change {
  fields: TermFields;
  shown: Partial<SettingTermRow>;
}

/** Writes a change to all terms, and closes the modal once it is saved. */
export function useChange({ onClose, ...target }: ChangeProps, onSaved: () => void, onFailed: (error: Error) => void) {
  const { t } = useTranslation('settingTerms');
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ fields }: Change) => changeTerms(target, fields),
    onSuccess: async (operation, { shown }) => {
      onSaved();
      offerUndo({ operation, text: t('did.changed', { count: countOf(target) }), changes: [settingTermsKey] });
      onClose(true);
      await showChange(queries, target, shown);
    },
    onError: onFailed,
  });
}

/** Runs an action in place of submitting a form. */
export const submitting = (act: () => void) => (event: FormEvent) => {
  event.preventDefault();
  act();
};

/** Says that a change is about more terms than those on the page. */
export function WholeNote({ whole }: Pick<TermTarget, 'whole'>) {
  const { t } = useTranslation('settingTerms');
  if (!whole) return null;
  return (
    <Alert color="yellow" icon={<IconListCheck />}>
      {t('whole.note', { count: whole.count })}
    </Alert>
  );
}
