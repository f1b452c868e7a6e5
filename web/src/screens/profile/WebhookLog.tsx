import { Button, Code, Group, Loader, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  sendAgain,
  WEBHOOK_EVENTS,
  type WebhookEvent,
  type WebhookMessage,
  webhookLogQuery,
} from '~/api/queries/webhooks';
import styles from '~/ui/entries.module.css';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';

const STATES = ['waiting', 'taken', 'failed'] as const;
const EVENTS = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[];

/** The latest messages to a webhook: how each fared, what it said, and a way to send it again. */
export function WebhookLog({ id, host, onClose }: { id: number; host: string; onClose(): void }) {
  const { t } = useTranslation('profile');
  const { data: messages, error, refetch } = useQuery(webhookLogQuery(id));
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Text fw={600}>{t('webhooks.logTitle', { host })}</Text>
        <Button variant="default" onClick={onClose}>
          {t('webhooks.done')}
        </Button>
      </Group>
      {error ? (
        <ErrorPanel onRetry={() => void refetch()} />
      ) : !messages ? (
        <Loader />
      ) : messages.length === 0 ? (
        <Text size="sm">{t('webhooks.logNone')}</Text>
      ) : (
        <ul className={styles.list} aria-label={t('webhooks.logTitle', { host })}>
          {messages.map((message) => (
            <MessageRow key={message.id} webhook={id} message={message} />
          ))}
        </ul>
      )}
    </Stack>
  );
}

function MessageRow({ webhook, message }: { webhook: number; message: WebhookMessage }) {
  const { t } = useTranslation('profile');
  const common = useTranslation('common').t;
  const formats = useFormats();
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: () => sendAgain(webhook, message.id),
    onSuccess: () => toast.success(t('webhooks.sentAgain')),
    onError: (failure) => toast.error(t('webhooks.failed'), errorText(failure, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: webhookLogQuery(webhook).queryKey }),
  });
  const event = t(`webhooks.event.${EVENTS.find((one) => WEBHOOK_EVENTS[one] === message.event) ?? 'test'}`);
  const at = formats.dateTime(message.at);
  const state = STATES.find((one) => one === message.state) ?? 'waiting';
  const facts = [
    t(`webhooks.state.${state}`),
    message.tries > 0 && t('webhooks.tries', { count: message.tries }),
    message.answer && t('webhooks.answer', { answer: message.answer }),
    message.took != null && t('webhooks.took', { ms: message.took }),
    message.nextTry && message.tries > 0 && t('webhooks.next', { at: formats.dateTime(message.nextTry) }),
  ].filter(Boolean);
  return (
    <li className={styles.entry}>
      <div className={styles.about}>
        <div className={styles.name}>{event}</div>
        <div className={styles.times}>
          {at} · {facts.join(' · ')}
        </div>
        {message.reason && <div className={styles.times}>{message.reason}</div>}
        {message.body && (
          <details>
            <summary className={styles.times}>{t('webhooks.body')}</summary>
            <Code block className={styles.call ?? ''}>
              {message.body}
            </Code>
          </details>
        )}
      </div>
      {state !== 'waiting' && (
        <Button
          variant="subtle"
          size="compact-sm"
          loading={again.isPending}
          aria-label={t('webhooks.againNamed', { event, at })}
          onClick={() => again.mutate()}
        >
          {t('webhooks.again')}
        </Button>
      )}
    </li>
  );
}
