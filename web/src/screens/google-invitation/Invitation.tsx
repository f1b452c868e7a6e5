import { Alert, Button, Loader, Stack } from '@mantine/core';
import { IconBrandGoogle } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { acceptInvitation, declineInvitation, invitationQuery } from '~/api/queries/google';
import styles from '~/ui/authForm.module.css';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';

const RESULTS = ['ok', 'denied', 'part', 'account', 'used', 'stale', 'failed'] as const;
const GONE = 404;
const OVER = 409;

/**
 * The page for those who were invited: what is asked, by whom and for which site. The token comes after the hash, and leaves the address at once. After
 * Google, it says how the consent went.
 */
export function Invitation() {
  const { t } = useTranslation('google');
  const inHash = useLocation({ select: ({ hash }) => hash });
  // Kept in state, since the effect below removes both from the address.
  const [token] = useState(inHash);
  const [result] = useState(() => {
    const given = new URL(window.location.href).searchParams.get('result');
    return RESULTS.find((one) => one === given);
  });
  useEffect(() => {
    window.history.replaceState(window.history.state, '', '/google-invitation');
  }, []);
  return (
    <>
      <h1 className={styles.title} tabIndex={-1}>
        {t('invitation.title')}
      </h1>
      {result ? (
        <Alert color={result === 'ok' ? 'teal' : 'yellow'} role="status" mt="md">
          {t(`invitation.result.${result}`)}
        </Alert>
      ) : (
        <Asked token={token} />
      )}
    </>
  );
}

/** What is asked, with the buttons to accept and to decline. */
function Asked({ token }: { token: string }) {
  const { t } = useTranslation('google');
  const common = useTranslation('common').t;
  const fmt = useFormats();
  const { data, error } = useQuery(invitationQuery(token));
  const accept = useMutation({
    mutationFn: () => acceptInvitation(token),
    onSuccess: (url) => window.location.assign(url),
    onError: (failure) => toast.error(errorText(failure, common)),
  });
  const decline = useMutation({
    mutationFn: () => declineInvitation(token),
    onError: (failure) => toast.error(errorText(failure, common)),
  });
  if (token === '') return <Failure text={t('invitation.missing')} />;
  if (decline.isSuccess) return <Failure text={t('invitation.declined')} />;
  if (error) {
    const status = error instanceof ApiError ? error.status : 0;
    if (status === GONE) return <Failure text={t('invitation.gone')} />;
    return <Failure text={status === OVER ? t('invitation.over') : errorText(error, common)} />;
  }
  if (!data) return <Loader mt="md" />;
  return (
    <Stack gap="sm" mt="md">
      <p>{t('invitation.asks', { brand: data.brand })}</p>
      <dl>
        <dt>{t('invitation.site')}</dt>
        <dd>
          <strong>{data.domain}</strong>
        </dd>
        <dt>{t('invitation.what')}</dt>
        <dd>{t('invitation.whatText')}</dd>
      </dl>
      <p>{t('invitation.until', { date: fmt.date(data.expiration) })}</p>
      <Button
        size="md"
        leftSection={<IconBrandGoogle size={18} />}
        loading={accept.isPending || accept.isSuccess}
        onClick={() => accept.mutate()}
      >
        {t('invitation.accept')}
      </Button>
      <Button size="md" variant="default" loading={decline.isPending} onClick={() => decline.mutate()}>
        {t('invitation.decline')}
      </Button>
    </Stack>
  );
}

function Failure({ text }: { text: string }) {
  return (
    <Alert color="yellow" role="status" mt="md">
      {text}
    </Alert>
  );
}
