import { Alert, Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconLockOpen } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { providerQuery, wayToProvider } from '~/api/queries/provider';
import { beginSecondFactor } from '~/api/queries/secondFactor';
import { type Credentials, login } from '~/api/session';
import { safeRedirect } from '~/lib/redirect';
import { ErrorList } from '~/ui/authForm';
import authForm from '~/ui/authForm.module.css';
import { errorText } from '~/ui/errorText';
import { lazyPart } from '~/ui/lazyPart';
import { CodeInput } from '~/ui/secondFactor/Code';
import { toast } from '~/ui/toast';
import styles from './Login.module.css';

const SetUp = lazyPart(() => import('~/ui/secondFactor/SetUp').then((module) => module.SetUp), {
  texts: ['secondFactor', 'list'],
});

/** Refusals of a right password. */
const CODE_REQUIRED = 'SECOND_FACTOR_REQUIRED';
const CODE_WRONG = 'SECOND_FACTOR_WRONG';
const SET_UP_REQUIRED = 'SECOND_FACTOR_SET_UP';

/** Why the provider's answer signed nobody in, as the server puts it into the address. */
const PROVIDER_REFUSALS = ['denied', 'stale', 'unknown', 'failed', 'busy'] as const;

const codeOf = (error: Error | null) => (error instanceof ApiError ? error.code : undefined);

/** What is asked for: the password, then a code or, of administrators who need one and have none, a second factor. */
type Step = { ask: 'password' } | { ask: 'code' | 'setUp'; proof: Credentials };

/**
 * The sign-in page. Success opens the address in `redirect` if it is on this site, else home; failures show above the form and in a toast. Where the
 * account has a second factor, its code is asked for after the password.
 */
export function Login() {
  const { t } = useTranslation('login');
  const [step, setStep] = useState<Step>({ ask: 'password' });
  const again = () => setStep({ ask: 'password' });
  switch (step.ask) {
    case 'password':
      return <PasswordForm onStep={setStep} />;
    case 'code':
      return <CodeForm proof={step.proof} onAgain={again} />;
    case 'setUp':
      return (
        <NewSecondFactor
          proof={step.proof}
          onAgain={again}
          onDone={() => {
            toast.success(t('setUpDone'));
            setStep({ ask: 'code', proof: step.proof });
          }}
        />
      );
  }
}

/** Signs in, and opens the address in `redirect` if it is on this site, else home. */
function useSignIn(onRefused: (error: Error, credentials: Credentials) => boolean) {
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const router = useRouter();
  const { redirect } = useSearch({ from: '/login' });
  return useMutation({
    mutationFn: (credentials: Credentials) => login(queries, credentials),
    onSuccess: () => {
      toast.clear();
      router.history.push(safeRedirect(redirect));
    },
    onError: (error, credentials) => {
      if (!onRefused(error, credentials)) toast.error(errorText(error, common));
    },
  });
}

/** Email and password. */
function PasswordForm({ onStep }: { onStep(step: Step): void }) {
  const { t } = useTranslation('login');
  const common = useTranslation('common').t;
  const { redirect } = useSearch({ from: '/login' });
  const { data: provider } = useQuery(providerQuery);
  // Where the way back from the provider ended.
  const hash = useLocation({ select: (location) => location.hash });
  const refused = PROVIDER_REFUSALS.find((reason) => reason === hash);
  const form = useForm<Credentials>({
    mode: 'uncontrolled',
    initialValues: { email: '', password: '' },
    validate: {
      email: (value) => (value.trim() === '' ? t('emailRequired') : null),
      password: (value) => (value === '' ? t('passwordRequired') : null),
    },
  });
  const signIn = useSignIn((error, proof) => {
    const code = codeOf(error);
    if (code === CODE_REQUIRED) onStep({ ask: 'code', proof });
    else if (code === SET_UP_REQUIRED) onStep({ ask: 'setUp', proof });
    else return false;
    return true;
  });
  const failure = (error: Error) => (codeOf(error) === 'LOGIN_FAILED' ? t('failed') : errorText(error, common));

  return (
    <form
      onSubmit={form.onSubmit(({ email, password }) => signIn.mutate({ email: email.trim(), password }))}
      noValidate
    >
      <Heading title={t('title')} lead={t('lead')} />
      <Stack gap="md">
        {!window.isSecureContext && <InsecureNotice />}
        <ErrorList errors={signIn.isError ? [failure(signIn.error)] : refused ? [t(`provider.${refused}`)] : []} />
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
        {provider?.label && (
          <>
            <Divider label={t('or')} />
            <Button component="a" size="md" variant="default" href={wayToProvider(safeRedirect(redirect))}>
              {t('provider.submit', { label: provider.label })}
            </Button>
          </>
        )}
      </Stack>
    </form>
  );
}

interface StepProps {
  proof: Credentials;
  onAgain(): void;
}

/** A code of the app, or a recovery code. */
function CodeForm({ proof, onAgain }: StepProps) {
  const { t } = useTranslation('login');
  const common = useTranslation('common').t;
  const [code, setCode] = useState('');
  const signIn = useSignIn((error) => codeOf(error) === CODE_WRONG);
  const failure = (error: Error) => (codeOf(error) === CODE_WRONG ? t('codeWrong') : errorText(error, common));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate({ ...proof, code });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Heading title={t('title')} lead={t('codeText')} />
      <Stack gap="md">
        <ErrorList errors={signIn.isError ? [failure(signIn.error)] : []} />
        <CodeInput size="md" label={t('code')} description={t('codeHint')} value={code} onChange={setCode} />
        <Button type="submit" size="md" mt="xs" disabled={signIn.isPending || code.trim() === ''}>
          {t('submit')}
        </Button>
        <Anchor component="button" type="button" className={authForm.link} onClick={onAgain}>
          {t('startAgain')}
        </Anchor>
      </Stack>
    </form>
  );
}

/** An administrator sets up the second factor that the server asks for. */
function NewSecondFactor({ proof, onAgain, onDone }: StepProps & { onDone(): void }) {
  const { t } = useTranslation('login');
  const common = useTranslation('common').t;
  const beginning = useMutation({ mutationFn: () => beginSecondFactor(proof) });
  return (
    <>
      <Heading title={t('setUpTitle')} lead={t('setUpText')} />
      {beginning.data ? (
        <SetUp proof={proof} secret={beginning.data} onDone={onDone} />
      ) : (
        <Stack gap="md">
          <ErrorList errors={beginning.isError ? [errorText(beginning.error, common)] : []} />
          <Button size="md" loading={beginning.isPending} onClick={() => beginning.mutate()}>
            {t('setUp')}
          </Button>
          <Anchor component="button" type="button" className={authForm.link} onClick={onAgain}>
            {t('startAgain')}
          </Anchor>
        </Stack>
      )}
    </>
  );
}

function Heading({ title, lead }: { title: string; lead: string }) {
  return (
    <>
      <h1 className={authForm.title} tabIndex={-1}>
        {title}
      </h1>
      <Text c="dimmed" mb="lg">
        {lead}
      </Text>
    </>
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
