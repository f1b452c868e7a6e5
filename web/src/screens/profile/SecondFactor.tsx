import { Button, Group, Loader, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { sessionsQuery } from '~/api/queries/account';
import {
  type AppSecret,
  beginSecondFactor,
  type Proof,
  renewRecoveryCodes,
  secondFactorQuery,
  switchSecondFactorOff,
} from '~/api/queries/secondFactor';
import { useMe } from '~/api/session';
import { ErrorList } from '~/ui/authForm';
import { ErrorPanel } from '~/ui/feedback';
import { CodeInput, useCodeFailure } from '~/ui/secondFactor/Code';
import { RecoveryCodes } from '~/ui/secondFactor/RecoveryCodes';
import { SetUp } from '~/ui/secondFactor/SetUp';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import styles from './Profile.module.css';

type Step = 'setUp' | 'renew' | 'off';

/** The user's second factor: set up, switched off, or with new recovery codes, each after the password. */
export function SecondFactor() {
  const { t } = useTranslation('secondFactor');
  const formats = useFormats();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(secondFactorQuery);
  const [step, setStep] = useState<Step>();
  if (error) return <ErrorPanel onRetry={() => void refetch()} />;
  if (!data) return <Loader />;
  const finish = async () => {
    setStep(undefined);
    await queries.invalidateQueries({ queryKey: secondFactorQuery.queryKey });
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  return (
    <section aria-labelledby="second-factor" className={styles.factor}>
      <Text component="h3" id="second-factor" fw={600} mb={4}>
        {t('title')}
      </Text>
      <Text c="dimmed" size="sm" mb="sm">
        {data.since
          ? t('on', { at: formats.date(data.since), count: data.recoveryCodes })
          : t(data.needed ? 'needed' : 'lead')}
      </Text>
      {step === undefined && (
        <Group gap="xs">
          {data.since ? (
            <>
              <Button variant="default" onClick={() => setStep('renew')}>
                {t('renew')}
              </Button>
              {!data.needed && (
                <Button variant="light" color="red" onClick={() => setStep('off')}>
                  {t('switchOff')}
                </Button>
              )}
            </>
          ) : (
            <Button variant="default" onClick={() => setStep('setUp')}>
              {t('setUp')}
            </Button>
          )}
        </Group>
      )}
      {step === 'setUp' && <Begin onDone={finish} onCancel={() => setStep(undefined)} />}
      {step === 'renew' && <Renew onDone={finish} onCancel={() => setStep(undefined)} />}
      {step === 'off' && <SwitchOff onDone={finish} onCancel={() => setStep(undefined)} />}
    </section>
  );
}

interface StepProps {
  onDone(): void;
  onCancel(): void;
}

/** Password, then the secret for the app. */
function Begin({ onDone, onCancel }: StepProps) {
  const { t } = useTranslation('secondFactor');
  const [begun, setBegun] = useState<{ proof: Proof; secret: AppSecret }>();
  const beginning = useMutation({
    mutationFn: async (proof: Proof) => ({ proof, secret: await beginSecondFactor(proof) }),
    onSuccess: setBegun,
  });
  if (begun) {
    return (
      <SetUp
        {...begun}
        onDone={() => {
          toast.success(t('switchedOn'));
          onDone();
        }}
      />
    );
  }
  return (
    <ProofForm
      submit={t('next')}
      error={beginning.error}
      isPending={beginning.isPending}
      onSubmit={beginning.mutate}
      onCancel={onCancel}
    />
  );
}

/** Password and code, then new recovery codes. */
function Renew({ onDone, onCancel }: StepProps) {
  const { t } = useTranslation('secondFactor');
  const renewing = useMutation({ mutationFn: renewRecoveryCodes });
  if (renewing.data) return <RecoveryCodes codes={renewing.data} onDone={onDone} />;
  return (
    <ProofForm
      withCode
      submit={t('renew')}
      error={renewing.error}
      isPending={renewing.isPending}
      onSubmit={renewing.mutate}
      onCancel={onCancel}
    >
      {t('renewText')}
    </ProofForm>
  );
}

/** Password and code, then sign-ins need the password alone. */
function SwitchOff({ onDone, onCancel }: StepProps) {
  const { t } = useTranslation('secondFactor');
  const switching = useMutation({
    mutationFn: switchSecondFactorOff,
    onSuccess: () => {
      toast.success(t('switchedOff'));
      onDone();
    },
  });
  return (
    <ProofForm
      withCode
      submit={t('switchOff')}
      error={switching.error}
      isPending={switching.isPending}
      onSubmit={switching.mutate}
      onCancel={onCancel}
    >
      {t('offText')}
    </ProofForm>
  );
}

interface ProofFormProps {
  withCode?: boolean;
  submit: string;
  error: Error | null;
  isPending: boolean;
  onSubmit(proof: Proof): void;
  onCancel(): void;
  children?: ReactNode;
}

/** Asks for the user's password and, with `withCode`, for a code. */
function ProofForm({ withCode = false, submit, error, isPending, onSubmit, onCancel, children }: ProofFormProps) {
  const { t } = useTranslation('secondFactor');
  const common = useTranslation('common').t;
  const login = useTranslation('login').t;
  const failure = useCodeFailure();
  const { email } = useMe();
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ email, password, ...(withCode && { code }) });
  };
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        {children && <Text size="sm">{children}</Text>}
        <ErrorList errors={error ? [failure(error)] : []} />
        <PasswordInput
          label={t('password')}
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': login('showPassword') }}
          value={password}
          onChange={({ currentTarget }) => setPassword(currentTarget.value)}
        />
        {withCode && <CodeInput label={t('code')} description={t('codeHint')} value={code} onChange={setCode} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {common('cancel')}
          </Button>
          <Button type="submit" loading={isPending} disabled={password === '' || (withCode && code.trim() === '')}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
