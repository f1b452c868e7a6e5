import { Alert, Button } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { connectManager, disconnectManager, googleGrantsQuery, googleKey } from '~/api/queries/google';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { StatusBadge, type Tone } from '~/ui/indicators';
import { toast } from '~/ui/toast';
import { Budget } from './Budget';
import styles from './GoogleConnect.module.css';
import { takeSignInResult } from './signInResult';

const TONES: Record<string, Tone> = { ok: 'good', failing: 'warn', revoked: 'bad' };

/** Says once how the sign-in at Google ended that brought the reader here. */
function useSignInResult() {
  const { t } = useTranslation('google');
  useEffect(() => {
    const result = takeSignInResult();
    if (!result) return;
    if (result === 'ok') toast.success(t('grant.result.ok'));
    else toast.error(t(`grant.result.${result}`));
  }, [t]);
}

/** The manager accounts with their state, how to connect one, and the budget of operations. */
export function Grants() {
  const { t } = useTranslation('google');
  const common = useTranslation('common').t;
  useSignInResult();
  const { data, isError, refetch } = useQuery(googleGrantsQuery);
  const [leaving, setLeaving] = useState<number>();
  const connect = useMutation({
    mutationFn: connectManager,
    onSuccess: (url) => window.location.assign(url),
    onError: (error) => toast.error(t('grant.failed'), errorText(error, common)),
  });
  if (!data) return isError ? <ErrorPanel onRetry={() => void refetch()} /> : null;
  const connected = data.data.length > 0;
  const button = data.ready && (
    <Button
      variant={connected ? 'default' : 'filled'}
      size={connected ? 'xs' : 'sm'}
      leftSection={<IconPlugConnected size={16} />}
      loading={connect.isPending || connect.isSuccess}
      onClick={() => connect.mutate()}
    >
      {t(connected ? 'grant.another' : 'grant.connect')}
    </Button>
  );
  if (!connected) {
    return (
      <Alert color="blue" title={t('grant.none')} className={styles.notice}>
        <p>{t(data.ready ? 'grant.noneText' : 'grant.notReady')}</p>
        {button}
      </Alert>
    );
  }
  return (
    <div className={styles.strip}>
      {data.data.map((grant) => {
        const status = grant.status === 'failing' || grant.status === 'revoked' ? grant.status : 'ok';
        return (
          <span key={grant.id} className={styles.grant}>
            <strong>{grant.email ?? t('grant.unknown')}</strong>
            <StatusBadge tone={TONES[status] ?? 'idle'}>{t(`grant.status.${status}`)}</StatusBadge>
            <Button variant="subtle" size="compact-xs" color="gray" onClick={() => setLeaving(grant.id)}>
              {t('grant.disconnect')}
            </Button>
          </span>
        );
      })}
      {button}
      <Budget />
      {leaving !== undefined && (
        <ConfirmModal
          danger
          title={t('grant.disconnect')}
          text={t('grant.disconnectText')}
          confirm={t('grant.disconnect')}
          act={() => disconnectManager(leaving)}
          done={t('grant.disconnected')}
          changes={[googleKey]}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </div>
  );
}
