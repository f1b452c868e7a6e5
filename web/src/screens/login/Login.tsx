import { Alert, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconLockOpen } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useRouter, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { type Credentials, login } from '~/api/session';
import { safeRedirect } from '~/lib/redirect';
import { ErrorList } from '~/ui/authForm';
import authForm from '~/ui/authForm.module.css';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './Login.module.css';

/** The sign-in page. Success opens the address in `redirect` if it is on this site, else home; failures show above the form and in a toast. */
export function Login() {
  const { t } = useTranslation('login');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const router = useRouter();
  const { redirect } = useSearch({ from: '/login' });

  const form = useForm<Credentials>({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: {
      email: (value) => (value.trim() === '' ? t('emailRequired') : null),
      password: (value) => (value === '' ? t('passwordRequired') : null),
    },
  });

  const signIn = useMutation({
    mutationFn: ({ email, password }: Credentials) => login(queries, { email: email.trim(), password }),
    onSuccess: () => {
      toast.clear();
      router.history.push(safeRedirect(redirect));
    },
    onError: (error) => toast.error(errorText(error, common)),
  });

  const failure = (error: Error) =>
    error instanceof ApiError && error.code === 'LOGIN_FAILED' ? t('failed') : errorText(error, common);

  return (
    <form onSubmit={form.onSubmit((credentials) => signIn.mutate(credentials))} noValidate>
      <h1 className={authForm.title} tabIndex={-1}>
        {t('title')}
      </h1>
      <Text c="dimmed" mb="lg">
        {t('lead')}
      </Text>
      <Stack gap="md">
        {!window.isSecureContext && <InsecureNotice />}
        <ErrorList errors={signIn.isError ? [failure(signIn.error)] : []} />
        <TextInput
          label={t('email')}
          type="email"
          autoComplete="username"
          autoFocus
          size="md"
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label={t('password')}
          autoComplete="current-password"
          size="md"
          visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button type="submit" size="md" mt="xs" disabled={signIn.isPending}>
          {t('submit')}
        </Button>
        <Link to="/forgot" className={authForm.link}>
          {t('forgot')}
        </Link>
      </Stack>
    </form>
  );
}

/**
 * Warns that signing in over plain HTTP from another machine fails, since browsers drop the `Secure` cookie of the session, and names the
 * remedies: TLS settings or an SSH tunnel.
 */
function InsecureNotice() {
  const { t } = useTranslation('login');
  const { hostname, port } = window.location;
  const number = port || '80';
  return (
    <Alert color="yellow" icon={<IconLockOpen />} title={t('insecure.title')}>
      <p className={styles.notice}>{t('insecure.text')}</p>
      <ul className={styles.cures}>
        <li>
          {t('insecure.settings')} <code>VIGIE__API__TLS_CERTIFICATE</code>, <code>VIGIE__API__TLS_KEY</code>
        </li>
        <li>
          {t('insecure.tunnel')} <code>{`ssh -L ${number}:127.0.0.1:${number} ${hostname}`}</code> →{' '}
          <code>{`http://localhost:${number}`}</code>
        </li>
      </ul>
    </Alert>
  );
}
