import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconCircleCheck, IconMail } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isUnauthorized } from '~/api/errors';
import { resetPassword } from '~/api/session';
import { keepsRules, RESET_RULES } from '~/lib/validation';
import { ErrorList, PasswordChecklist } from '~/ui/authForm';
import styles from '~/ui/authForm.module.css';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

const RULES_ID = 'password-rules';

/**
 * Sets a new password with the token of a mailed link, which is taken from the hash or the path and removed from the address at once. Does not
 * sign in. For an invalid or expired token it offers another mail.
 */
export function Reset() {
  const { t } = useTranslation('password');
  const login = useTranslation('login').t;
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { token: inPath } = useParams({ from: '/reset/{-$token}' });
  const inHash = useLocation({ select: ({ hash }) => hash });
  // Kept in state, since the effect below removes it from the address.
  const [token] = useState(inHash || inPath || '');
  useEffect(() => {
    window.history.replaceState(window.history.state, '', '/reset');
  }, []);

  const form = useForm({
    initialValues: { password: '', confirmPassword: '' },
    validateInputOnBlur: true,
    validateInputOnChange: ['confirmPassword'],
    validate: {
      password: (value) => (value === '' ? t('reset.passwordRequired') : null),
      confirmPassword: (value, { password }) => {
        if (value === '') return t('reset.confirmRequired');
        return value === password ? null : t('reset.mismatch');
      },
    },
  });
  const { password, confirmPassword } = form.values;
  const isReady = keepsRules(password, RESET_RULES) && confirmPassword === password;

  const reset = useMutation({
    mutationFn: () => resetPassword(queries, token, password),
    onSuccess: () => toast.success(t('reset.done')),
    onError: (error) => toast.error(errorText(error, common)),
  });
  const failure = (error: Error) => (isUnauthorized(error) ? t('reset.tokenExpired') : errorText(error, common));

  if (reset.isSuccess) {
    return (
      <>
        <h1 className={styles.title} tabIndex={-1}>
          {t('reset.title')}
        </h1>
        <Alert color="teal" icon={<IconCircleCheck />} role="status" mt="md" mb="lg">
          {t('reset.done')}
        </Alert>
        <Button component={Link} to="/login" size="md" fullWidth>
          {login('submit')}
        </Button>
      </>
    );
  }
  return (
    <form onSubmit={form.onSubmit(() => reset.mutate())} noValidate>
      <h1 className={styles.title} tabIndex={-1}>
        {t('reset.title')}
      </h1>
      <Text c="dimmed" mb="lg">
        {t('reset.lead')}
      </Text>
      <Stack gap="md" mb="lg">
        <ErrorList errors={reset.isError ? [failure(reset.error)] : []} />
        {isUnauthorized(reset.error) && (
          <Button component={Link} to="/forgot" variant="default" leftSection={<IconMail size={16} />}>
            {t('reset.another')}
          </Button>
        )}
        <PasswordInput
          label={t('new')}
          autoComplete="new-password"
          autoFocus
          size="md"
          aria-describedby={RULES_ID}
          visibilityToggleButtonProps={{ 'aria-label': login('showPassword') }}
          {...form.getInputProps('password')}
        />
        <PasswordChecklist
          id={RULES_ID}
          password={password}
          rules={RESET_RULES}
          text={(key) => t(`reset.rule.${key}`)}
        />
        <PasswordInput
          label={t('confirm')}
          autoComplete="new-password"
          size="md"
          visibilityToggleButtonProps={{ 'aria-label': login('showPassword') }}
          {...form.getInputProps('confirmPassword')}
        />
        <Button type="submit" size="md" mt="xs" disabled={!isReady || reset.isPending}>
          {t('reset.submit')}
        </Button>
      </Stack>
      <Link to="/login" className={styles.link}>
        {t('forgot.back')}
      </Link>
    </form>
  );
}
