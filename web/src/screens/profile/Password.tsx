import { Button, Group, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { sessionsQuery } from '~/api/queries/account';
import { changePassword } from '~/api/session';
import { keepsRules, PROFILE_RULES } from '~/lib/validation';
import { ErrorList, PasswordChecklist } from '~/ui/authForm';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

const RULES_ID = 'profile-password-rules';

/**
 * The form that changes the user's own password, which ends the other sessions. It can be sent once the new password keeps `PROFILE_RULES` and is
 * repeated; any response 400 counts as a wrong old password.
 */
export function Password() {
  const { t } = useTranslation('profile');
  const password = useTranslation('password').t;
  const login = useTranslation('login').t;
  const common = useTranslation('common').t;
  const queries = useQueryClient();

  const form = useForm({
    initialValues: { oldPassword: '', newPassword: '', confirmPassword: '' },
    validateInputOnBlur: true,
    validateInputOnChange: ['confirmPassword'],
    validate: {
      oldPassword: (value) => (value === '' ? t('oldRequired') : null),
      newPassword: (value) => (value === '' ? password('reset.passwordRequired') : null),
      confirmPassword: (value, { newPassword }) => {
        if (value === '') return password('reset.confirmRequired');
        return value === newPassword ? null : password('reset.mismatch');
      },
    },
  });
  const { oldPassword, newPassword, confirmPassword } = form.values;
  const isReady = keepsRules(newPassword, PROFILE_RULES) && confirmPassword === newPassword;

  const failure = (error: Error) =>
    error instanceof ApiError && error.status === 400 ? t('oldWrong') : errorText(error, common);
  const change = useMutation({
    mutationFn: () => changePassword({ oldPassword, newPassword }),
    onSuccess: () => {
      form.reset();
      toast.success(t('passwordChanged'));
      return queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
    onError: (error) => toast.error(failure(error)),
  });

  return (
    <form onSubmit={form.onSubmit(() => change.mutate())} noValidate>
      <Stack gap="md">
        <ErrorList errors={change.isError ? [failure(change.error)] : []} />
        <PasswordInput
          label={t('old')}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': login('showPassword') }}
          {...form.getInputProps('oldPassword')}
        />
        <PasswordInput
          label={password('new')}
          autoComplete="new-password"
          aria-describedby={RULES_ID}
          visibilityToggleButtonProps={{ 'aria-label': login('showPassword') }}
          {...form.getInputProps('newPassword')}
        />
        <PasswordChecklist
          id={RULES_ID}
          password={newPassword}
          rules={PROFILE_RULES}
          text={(key) => t(`rule.${key}`)}
        />
        <PasswordInput
          label={password('confirm')}
          autoComplete="new-password"
          visibilityToggleButtonProps={{ 'aria-label': login('showPassword') }}
          {...form.getInputProps('confirmPassword')}
        />
        <Group justify="flex-end">
          <Button type="submit" disabled={!isReady || change.isPending}>
            {t('change')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
