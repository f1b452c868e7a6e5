import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconMailCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { forgotPassword } from '~/api/session';
import { looksLikeEmail } from '~/lib/validation';
import { ErrorList } from '~/ui/authForm';
import styles from '~/ui/authForm.module.css';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';

/**
 * The page that requests a mail with a link to reset the password. Unknown addresses get the same confirmation; a failed call shows above the form
 * and in a toast.
 */
export function Forgot() {
  const { t } = useTranslation('password');
  const login = useTranslation('login').t;
  const common = useTranslation('common').t;

  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { email: '' },
    validate: {
      email: (value) => {
        if (value.trim() === '') return login('emailRequired');
        return looksLikeEmail(value.trim()) ? null : common('field.email');
      },
    },
  });

  const send = useMutation({
    mutationFn: ({ email }: { email: string }) => forgotPassword(email.trim()),
    onSuccess: () => toast.success(t('forgot.sent')),
    onError: (error) => toast.error(errorText(error, common)),
  });

  return (
    <form onSubmit={form.onSubmit((values) => send.mutate(values))} noValidate>
      <h1 className={styles.title} tabIndex={-1}>
        {t('forgot.title')}
      </h1>
      {send.isSuccess ? (
        <Alert color="teal" icon={<IconMailCheck />} role="status" mt="md" mb="lg">
          {t('forgot.sent')}
        </Alert>
      ) : (
        <>
          <Text c="dimmed" mb="lg">
            {t('forgot.lead')}
          </Text>
          <Stack gap="md" mb="lg">
            <ErrorList errors={send.isError ? [errorText(send.error, common)] : []} />
            <TextInput
              label={login('email')}
              type="email"
              autoComplete="username"
              autoFocus
              size="md"
              key={form.key('email')}
              {...form.getInputProps('email')}
            />
            <Button type="submit" size="md" mt="xs" disabled={send.isPending}>
              {t('forgot.submit')}
            </Button>
          </Stack>
        </>
      )}
      <Link to="/login" className={styles.link}>
        {t('forgot.back')}
      </Link>
    </form>
  );
}
