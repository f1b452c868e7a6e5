import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { QRCodeSVG } from 'qrcode.react';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AppSecret, confirmSecondFactor, type Proof } from '~/api/queries/secondFactor';
import { ErrorList } from '../authForm';
import { CopyButton } from '../buttons';
import { CodeInput, useCodeFailure } from './Code';
import { RecoveryCodes } from './RecoveryCodes';
import styles from './secondFactor.module.css';

/** Letters of a secret that are read as one. */
const GROUP = /.{1,4}/g;
const PICTURE_SIZE = 176;

interface Props {
  /** The account, by its password. */
  proof: Proof;
  secret: AppSecret;
  /** After the recovery codes were kept. */
  onDone(): void;
}

/** Gives a secret to the user's app, asks for a first code, which switches the second factor on, and shows the recovery codes this once. */
export function SetUp({ proof, secret, onDone }: Props) {
  const { t } = useTranslation('secondFactor');
  const failure = useCodeFailure();
  const [code, setCode] = useState('');
  const confirming = useMutation({ mutationFn: () => confirmSecondFactor({ ...proof, code }) });
  if (confirming.data) return <RecoveryCodes codes={confirming.data} onDone={onDone} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    confirming.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">{t('scan')}</Text>
        <div className={styles.secret}>
          <QRCodeSVG value={secret.uri} size={PICTURE_SIZE} marginSize={2} title={t('picture')} />
          <Stack gap={4}>
            <Text size="sm">{t('type')}</Text>
            <Group gap="xs" wrap="nowrap">
              <Code className={styles.letters ?? ''} aria-label={t('secret')}>
                {secret.secret.match(GROUP)?.join(' ')}
              </Code>
              <CopyButton text={() => secret.secret} label={t('copySecret')} />
            </Group>
          </Stack>
        </div>
        <ErrorList errors={confirming.isError ? [failure(confirming.error)] : []} />
        <CodeInput label={t('first')} value={code} onChange={setCode} />
        <Group justify="flex-end">
          <Button type="submit" loading={confirming.isPending} disabled={code.trim() === ''}>
            {t('switchOn')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
