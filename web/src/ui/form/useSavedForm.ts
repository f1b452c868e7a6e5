import { type FormErrors, type FormValidateInput, useForm } from '@mantine/form';
import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { KeptTheirs } from '../conflict';
import { errorText } from '../errorText';
import { toast } from '../toast';

/** Field error codes with a text of their own. */
const KNOWN = [
  'presence',
  'uniqueness',
  'custom.email',
  'reference',
  'length.max',
  'pattern',
  'pattern.size',
  'pattern.slow',
] as const;
type Known = (typeof KNOWN)[number];

/**
 * The server's first error of each of the fields `names`, translated where its code is known and else in the server's words. Fields without an
 * error are left out; empty for an error that is no `ApiError`.
 */
export function fieldErrors(error: unknown, names: readonly string[], t: TFunction<'common'>): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  const { fields, fieldCodes } = error;
  const texts = names.flatMap((name) => {
    const code = fieldCodes[name]?.[0];
    const known = KNOWN.find((one) => one === code);
    const text = known ? translationOf(known, t) : fields[name]?.[0];
    return text === undefined ? [] : [[name, text] as const];
  });
  return Object.fromEntries(texts);
}

/** The text shown at a field for one of the error codes known here. */
function translationOf(code: Known, t: TFunction<'common'>): string {
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
    case 'pattern.slow':
      return t('field.patternSlow');
  }
}

interface Saved<Values, Result> {
  initialValues: Values;
  validate: FormValidateInput<Values>;
  save(values: Values): Promise<Result>;
  onSaved(result: Result): void;
  /** Called when the user keeps what somebody else did instead of saving. */
  onKeptTheirs?(): void;
  /** Query keys to invalidate afterwards, on success and on failure. */
  changes: readonly QueryKey[];
}

/**
 * A form saved by the server. Validates on change and on submit, and focuses the first invalid field. When saving fails, the field errors of the
 * server show at their fields; an error without any, or of a field that the form does not have, shows in a toast.
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
      if (error instanceof KeptTheirs) return form.onKeptTheirs?.();
      const errors = fieldErrors(error, Object.keys(form.initialValues), t);
      const refused = error instanceof ApiError ? Object.keys(error.fields) : [];
      if (refused.length === 0 || refused.some((name) => !(name in errors))) toast.error(errorText(error, t));
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
