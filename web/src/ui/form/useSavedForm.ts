import { type FormErrors, type FormValidateInput, useForm } from '@mantine/form';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { errorText } from '../errorText';
import { toast } from '../toast';

/** Field error codes with a text of their own. */
const KNOWN = ['presence', 'uniqueness', 'custom.email', 'reference', 'length.max', 'pattern', 'pattern.size'] as const;
type Known = (typeof KNOWN)[number];

/** The server's field errors, translated where the code is known and else in the server's words. */
export function fieldErrors(error: unknown, names: readonly string[], t: TFunction<'common'>): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const { fields, fieldCodes } = error;
  const told = names.flatMap((name) => {
    const code = fieldCodes[name]?.[0];
    const known = KNOWN.find((one) => one === code);
    const text = known ? ownWords(known, t) : fields[name]?.[0];
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(told);
}

function ownWords(code: Known, t: TFunction<'common'>): string {
  switch (code) {
    case 'presence':
      return t('field.required');
    case 'uniqueness':
      return t('field.taken');
    case 'custom.email':
      return t('field.email');
    case 'reference':
      return t('field.gone');
    case 'length.max':
      return t('field.tooLong');
    case 'pattern':
      return t('field.pattern');
    case 'pattern.size':
      return t('field.patternSize');
  }
}

interface Saved<Values, Result> {
  initialValues: Values;
  validate: FormValidateInput<Values>;
  save(values: Values): Promise<Result>;
  onSaved(result: Result): void;
  /** Query keys to invalidate afterwards, on success and on failure. */
  changes: readonly QueryKey[];
}

/**
 * A form saved by the server. Validates on change and on submit, and focuses the first invalid field. Field errors of the server show at
 * their field, others in a toast.
 */
export function useSavedForm<Values extends Record<string, unknown>, Result>(form: Saved<Values, Result>) {
  const { t } = useTranslation('common');
  const queries = useQueryClient();
  const state = useForm<Values>({
    initialValues: form.initialValues,
    validate: form.validate,
    validateInputOnChange: true,
  });
  const focusFirst = (errors: FormErrors) => {
    const [first] = Object.keys(errors);
    if (first !== undefined) state.getInputNode(first)?.focus();
  };
  const saving = useMutation({
    mutationFn: form.save,
    onSuccess: form.onSaved,
    onError: (error) => {
      const errors = fieldErrors(error, Object.keys(form.initialValues), t);
      if (Object.keys(errors).length === 0) {
        toast.error(errorText(error, t));
        return;
      }
      state.setErrors(errors);
      focusFirst(errors);
    },
    onSettled: () => Promise.all(form.changes.map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  return {
    form: state,
    submit: state.onSubmit((values) => saving.mutate(values), focusFirst),
    saving: saving.isPending,
  };
}
