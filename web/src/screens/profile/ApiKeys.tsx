import { Anchor, Button, Checkbox, Code, Group, Loader, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ApiKey, endKey, KEY_SCOPES, type KeyScope, keysQuery, makeKey } from '~/api/queries/account';
import { CopyButton } from '~/ui/buttons';
import { ConfirmModal } from '~/ui/ConfirmModal';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import styles from './Profile.module.css';

const SCOPES = Object.keys(KEY_SCOPES) as KeyScope[];
/** Where the server has the reference of its API. */
const REFERENCE = '/api/docs/';
const LONGEST_NAME = 80;
/** How long a key lives, in days. */
const LIVES = { never: null, month: 30, quarter: 90, year: 366 } as const;
type Life = keyof typeof LIVES;

/** The user's API keys: a new one is shown this once, with a call to try it; each can be ended. */
export function ApiKeys() {
  const { t } = useTranslation('profile');
  const { data: keys, error, refetch } = useQuery(keysQuery);
  const [made, setMade] = useState<string>();
  const [ending, setEnding] = useState<ApiKey>();
  if (error) return <ErrorPanel onRetry={() => void refetch()} />;
  if (!keys) return <Loader />;
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm">
        {t('keys.lead')}{' '}
        <Anchor href={REFERENCE} target="_blank" underline="always" inherit>
          {t('keys.reference')}
        </Anchor>
      </Text>
      {made ? <NewKey text={made} onDone={() => setMade(undefined)} /> : <KeyForm onMade={setMade} />}
      {keys.length === 0 ? (
        <Text size="sm">{t('keys.none')}</Text>
      ) : (
        <ul className={styles.sessions} aria-label={t('keys.list')}>
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} onEnd={() => setEnding(key)} />
          ))}
        </ul>
      )}
      {ending && (
        <ConfirmModal
          title={t('keys.confirm', { name: ending.name })}
          text={t('keys.confirmText')}
          confirm={t('keys.end')}
          danger
          act={() => endKey(ending.id)}
          done={t('keys.ended')}
          changes={[keysQuery.queryKey]}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Stack>
  );
}

/** Name, scopes and life of a new key. */
function KeyForm({ onMade }: { onMade(key: string): void }) {
  const { t } = useTranslation('profile');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly KeyScope[]>(['lists']);
  const [life, setLife] = useState<Life>('year');
  const making = useMutation({
    mutationFn: () => makeKey(name.trim(), scopes, LIVES[life]),
    onSuccess: onMade,
    onError: (failure) => toast.error(t('keys.failed'), errorText(failure, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: keysQuery.queryKey }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    making.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t('keys.name')}
          description={t('keys.nameHint')}
          maxLength={LONGEST_NAME}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Checkbox.Group
          label={t('keys.scopes')}
          value={[...scopes]}
          onChange={(values) => setScopes(SCOPES.filter((scope) => values.includes(scope)))}
        >
          <Stack gap="xs" mt="xs">
            {SCOPES.map((scope) => (
              <Checkbox key={scope} value={scope} label={t(`keys.scope.${scope}`)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group align="flex-end" justify="space-between">
          <Select
            label={t('keys.days')}
            allowDeselect={false}
            data={(Object.keys(LIVES) as Life[]).map((one) => ({ value: one, label: t(`keys.day.${one}`) }))}
            value={life}
            onChange={(value) => setLife((value ?? 'year') as Life)}
          />
          <Button type="submit" loading={making.isPending} disabled={name.trim() === '' || scopes.length === 0}>
            {t('keys.make')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The new key, to be copied now. */
function NewKey({ text, onDone }: { text: string; onDone(): void }) {
  const { t } = useTranslation('profile');
  const call = `curl -H "Authorization: Bearer ${text}" "${window.location.origin}/api/monitoring/domains"`;
  return (
    <Stack gap="xs" role="status">
      <Text fw={600}>{t('keys.made')}</Text>
      <Group gap="xs" wrap="nowrap">
        <Code className={styles.key ?? ''} aria-label={t('keys.key')}>
          {text}
        </Code>
        <CopyButton text={() => text} label={t('keys.copy')} />
      </Group>
      <Text size="sm">{t('keys.example')}</Text>
      <Code block className={styles.call ?? ''}>
        {call}
      </Code>
      <Group justify="flex-end">
        <Button onClick={onDone}>{t('keys.done')}</Button>
      </Group>
    </Stack>
  );
}

/** One key: its name, what it opens, and when it was used. */
function KeyRow({ apiKey, onEnd }: { apiKey: ApiKey; onEnd(): void }) {
  const { t } = useTranslation('profile');
  const formats = useFormats();
  const { name, hint, scopes, created, lastUsed, expires } = apiKey;
  const opened = SCOPES.filter((scope) => scopes.includes(KEY_SCOPES[scope]));
  return (
    <li className={styles.session}>
      <IconKey size={22} className={styles.device} aria-hidden />
      <div className={styles.about}>
        <div className={styles.name}>{name}</div>
        <div className={styles.times}>{opened.map((scope) => t(`keys.scope.${scope}`)).join(' · ')}</div>
        <div className={styles.times}>
          {t('keys.ending', { hint, at: formats.date(created) })}
          {expires && ` · ${t('keys.until', { at: formats.date(expires) })}`} ·{' '}
          {lastUsed ? t('keys.used', { ago: formats.ago(lastUsed, new Date()) }) : t('keys.unused')}
        </div>
      </div>
      <Button variant="subtle" color="red" size="compact-sm" aria-label={t('keys.endNamed', { name })} onClick={onEnd}>
        {t('keys.end')}
      </Button>
    </li>
  );
}
