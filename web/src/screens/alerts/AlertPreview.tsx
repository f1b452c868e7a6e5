import { Button, Loader } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconMailForward } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { type AlertBody, alertPreviewQuery, sendTestAlert } from '~/api/queries/alerts';
import { useMe } from '~/api/session';
import { errorText } from '~/ui/errorText';
import { toast } from '~/ui/toast';
import styles from './Alerts.module.css';

/** After the last key. */
const DELAY_MS = 600;
const LINK = /(https?:\/\/\S+)/;

interface Props {
  body: AlertBody;
  /** What a mail needs is chosen. */
  isReady: boolean;
}

/** What the mail of an alert would say now of real cases, and a button that sends it to the reader alone. */
export function AlertPreview({ body, isReady }: Props) {
  const { t } = useTranslation('alerts');
  const common = useTranslation('common').t;
  const me = useMe();
  const [asked] = useDebouncedValue(body, DELAY_MS);
  const { data, error, isFetching } = useQuery({ ...alertPreviewQuery(asked), enabled: isReady });
  const send = useMutation({
    mutationFn: () => sendTestAlert(body),
    onSuccess: () => toast.success(t('testSent', { address: me.email })),
    onError: (failure) =>
      toast.error(t('testFailed'), isRefused(failure) ? t('preview.wrong') : errorText(failure, common)),
  });
  return (
    <section className={styles.preview} aria-label={t('preview.title')} aria-busy={isFetching}>
      <div className={styles.previewHead}>
        <h3 className={styles.previewTitle}>{t('preview.title')}</h3>
        {isFetching && <Loader size={16} />}
        <Button
          className={styles.test}
          size="compact-md"
          variant="default"
          leftSection={<IconMailForward size={16} aria-hidden />}
          disabled={!isReady}
          loading={send.isPending}
          onClick={() => send.mutate()}
        >
          {t('test')}
        </Button>
      </div>
      {!isReady && <p className={styles.dim}>{t('preview.missing')}</p>}
      {isReady && error && (
        <p className={styles.dim} role="alert">
          {isRefused(error) ? t('preview.wrong') : errorText(error, common)}
        </p>
      )}
      {isReady && !error && data && (
        <>
          <p className={styles.subject}>{data.subject}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reachable by keyboard */}
          <section className={styles.letter} aria-label={data.subject} tabIndex={0}>
            {data.body.split(LINK).map((part, at) =>
              at % 2 === 1 ? (
                <span key={at} className={styles.address}>
                  {part}
                </span>
              ) : (
                part
              ),
            )}
          </section>
        </>
      )}
    </section>
  );
}

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.status === 422;
