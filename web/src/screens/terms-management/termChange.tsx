import { Alert } from '@mantine/core';
import { IconListCheck } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AsOf, seenOf } from '~/api/asOf';
import {
  changeTerms,
  type SettingTermRow,
  settingTermsKey,
  showChange,
  type TermFields,
  type TermTarget,
} from '~/api/queries/settingTerms';
import { KeptTheirs, unlessChanged } from '~/ui/conflict';
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

/** What was seen of terms when a modal for them opened: the list behind it may be loaded again meanwhile. */
export function useSeen({ rows }: TermTarget): AsOf | undefined {
  const [seen] = useState(() => seenOf(rows));
  return seen;
}

/** Writes a change to all terms, and closes the modal once it is saved or the user keeps what somebody else did instead. */
export function useChange({ onClose, ...target }: ChangeProps, onSaved: () => void, onFailed: (error: Error) => void) {
  const { t } = useTranslation('settingTerms');
  const queries = useQueryClient();
  const seen = useSeen(target);
  return useMutation({
    mutationFn: ({ fields }: Change) => unlessChanged(seen, (known) => changeTerms(target, fields, known)),
    onSuccess: async (operation, { shown }) => {
      onSaved();
      offerUndo({ operation, text: t('did.changed', { count: countOf(target) }), changes: [settingTermsKey] });
      onClose(true);
      await showChange(queries, target, shown);
    },
    onError: (error) => (error instanceof KeptTheirs ? onClose() : onFailed(error)),
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
