import { Button, Checkbox, Group, Loader, Menu, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { type Choice, searchBrands } from '~/api/queries/choices';
import {
  changeSecret,
  makeWebhook,
  removeWebhook,
  switchWebhook,
  testWebhook,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookEvent,
  webhooksQuery,
} from '~/api/queries/webhooks';
import { ReferenceLink } from '~/ui/apiKeys/ReferenceLink';
import { ShownOnce } from '~/ui/apiKeys/ShownOnce';
import { RowMenu } from '~/ui/buttons';
import { ConfirmModal } from '~/ui/ConfirmModal';
import styles from '~/ui/entries.module.css';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { AsyncSelect } from '~/ui/form/AsyncSelect';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { WebhookLog } from './WebhookLog';

const EVENTS = Object.keys(WEBHOOK_EVENTS) as WebhookEvent[];
const LONGEST_ADDRESS = 2_000;
/** Why Vigie stops a webhook. */
const STOPPED = ['failing', 'gone', 'behind'] as const;

const hostOf = ({ url }: Webhook) => new URL(url).host;

/** What is asked about a webhook, or shown of it. */
type Opened = { webhook: Webhook; as: 'log' | 'rotate' | 'remove' };

/** The user's webhooks: a new one's secret is shown this once; each can be tried, stopped and deleted, and has a log. */
export function Webhooks() {
  const { t } = useTranslation('profile');
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery);
  const [secret, setSecret] = useState<string>();
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  if (error) return <ErrorPanel onRetry={() => void refetch()} />;
  if (!webhooks) return <Loader />;
  if (opened?.as === 'log') return <WebhookLog id={opened.webhook.id} host={hostOf(opened.webhook)} onClose={close} />;
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm">
        {t('webhooks.lead')} <ReferenceLink />
      </Text>
      {secret ? (
        <ShownOnce
          secret={secret}
          title={t('webhooks.made')}
          label={t('webhooks.secret')}
          copyLabel={t('webhooks.copy')}
          doneLabel={t('webhooks.done')}
          onDone={() => setSecret(undefined)}
        />
      ) : (
        <WebhookForm onMade={setSecret} />
      )}
      {webhooks.length === 0 ? (
        <Text size="sm">{t('webhooks.none')}</Text>
      ) : (
        <ul className={styles.list} aria-label={t('webhooks.list')}>
          {webhooks.map((webhook) => (
            <WebhookRow key={webhook.id} webhook={webhook} onOpen={(as) => setOpened({ webhook, as })} />
          ))}
        </ul>
      )}
      {opened?.as === 'rotate' && (
        <ConfirmModal
          title={t('webhooks.rotateTitle', { host: hostOf(opened.webhook) })}
          text={t('webhooks.rotateText')}
          confirm={t('webhooks.rotate')}
          act={async () => setSecret(await changeSecret(opened.webhook.id))}
          changes={[webhooksQuery.queryKey]}
          onClose={close}
        />
      )}
      {opened?.as === 'remove' && (
        <ConfirmModal
          title={t('webhooks.removeTitle', { host: hostOf(opened.webhook) })}
          text={t('webhooks.removeText')}
          confirm={t('webhooks.remove')}
          danger
          act={() => removeWebhook(opened.webhook.id)}
          done={t('webhooks.removed')}
          changes={[webhooksQuery.queryKey]}
          onClose={close}
        />
      )}
    </Stack>
  );
}

/** Address, brand and events of a new webhook. */
function WebhookForm({ onMade }: { onMade(secret: string): void }) {
  const { t } = useTranslation('profile');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [url, setUrl] = useState('');
  const [brand, setBrand] = useState<Choice | null>(null);
  const [events, setEvents] = useState<readonly WebhookEvent[]>(['new', 'relapsed']);
  const making = useMutation({
    mutationFn: () => makeWebhook(url.trim(), events, brand && Number(brand.value)),
    onSuccess: onMade,
    onError: (failure) => {
      if (!addressFault(failure)) toast.error(t('webhooks.failed'), errorText(failure, common));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    making.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          type="url"
          label={t('webhooks.url')}
          description={t('webhooks.urlHint')}
          placeholder="https://"
          maxLength={LONGEST_ADDRESS}
          value={url}
          error={addressFault(making.error)}
          onChange={({ currentTarget }) => {
            setUrl(currentTarget.value);
            making.reset();
          }}
        />
        <AsyncSelect
          label={t('webhooks.brand')}
          description={brand ? undefined : t('webhooks.allBrands')}
          search={searchBrands}
          value={brand}
          onChange={setBrand}
        />
        <Checkbox.Group
          label={t('webhooks.events')}
          value={[...events]}
          onChange={(values) => setEvents(EVENTS.filter((event) => values.includes(event)))}
        >
          <Stack gap="xs" mt="xs">
            {EVENTS.map((event) => (
              <Checkbox key={event} value={event} label={t(`webhooks.event.${event}`)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group justify="flex-end">
          <Button type="submit" loading={making.isPending} disabled={url.trim() === '' || events.length === 0}>
            {t('webhooks.make')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** What is wrong with the address; nothing where something else is. */
const addressFault = (failure: unknown): string | undefined =>
  failure instanceof ApiError ? failure.fields.url?.[0] : undefined;

/** One webhook: where it leads, for what, and how it fares. */
function WebhookRow({ webhook, onOpen }: { webhook: Webhook; onOpen(as: Opened['as']): void }) {
  const { t } = useTranslation('profile');
  const common = useTranslation('common').t;
  const formats = useFormats();
  const queries = useQueryClient();
  const host = hostOf(webhook);
  const acting = useMutation({
    mutationFn: (act: () => Promise<void>) => act(),
    onError: (failure) => toast.error(t('webhooks.failed'), errorText(failure, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: webhooksQuery.queryKey }),
  });
  const { id, events, stopped, stopReason, waiting, taken } = webhook;
  const reason = STOPPED.find((one) => one === stopReason);
  const told = EVENTS.filter((event) => events.includes(WEBHOOK_EVENTS[event]));
  const test = async () => {
    await testWebhook(id);
    toast.success(t('webhooks.tested'));
  };
  return (
    <li className={styles.entry}>
      <Switch
        aria-label={t('webhooks.switch', { host })}
        checked={!stopped}
        disabled={acting.isPending}
        onChange={({ currentTarget: { checked } }) => acting.mutate(() => switchWebhook(webhook, checked))}
      />
      <div className={styles.about}>
        <div className={styles.name}>{host}</div>
        <div className={styles.times}>{told.map((event) => t(`webhooks.event.${event}`)).join(' · ')}</div>
        <div className={styles.times}>
          {reason && `${t(`webhooks.stopped.${reason}`)} · `}
          {waiting > 0 && `${t('webhooks.waiting', { count: waiting })} · `}
          {taken ? t('webhooks.taken', { ago: formats.ago(taken, new Date()) }) : t('webhooks.untaken')}
        </div>
      </div>
      <RowMenu label={t('webhooks.menu', { host })}>
        <Menu.Item onClick={() => onOpen('log')}>{t('webhooks.log')}</Menu.Item>
        <Menu.Item disabled={!!stopped} onClick={() => acting.mutate(test)}>
          {t('webhooks.test')}
        </Menu.Item>
        <Menu.Item onClick={() => onOpen('rotate')}>{t('webhooks.rotate')}</Menu.Item>
        <Menu.Item color="red" onClick={() => onOpen('remove')}>
          {t('webhooks.remove')}
        </Menu.Item>
      </RowMenu>
    </li>
  );
}
