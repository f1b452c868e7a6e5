import { Button, Checkbox, Code, Group, Loader, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ApiKey, endKey, KEY_SCOPES, type KeyScope, keysQuery, makeKey } from '~/api/queries/apiKeys';
import { ConfirmModal } from '../ConfirmModal';
import styles from '../entries.module.css';
import { errorText } from '../errorText';
import { ErrorPanel } from '../feedback';
import { toast } from '../toast';
import { useFormats } from '../useFormats';
import { ReferenceLink } from './ReferenceLink';
import { ShownOnce } from './ShownOnce';

const SCOPES = Object.keys(KEY_SCOPES) as KeyScope[];
const LONGEST_NAME = 80;
/** How long a key lives, in days. */
const LIVES = { never: null, month: 30, quarter: 90, year: 366 } as const;
type Life = keyof typeof LIVES;

interface Props {
  /** The company account whose keys they are; the user's own without it. */
  company?: { id: number; name: string };
}

/** API keys: a new one is shown this once, with a call to try it; each can be ended. */
export function ApiKeys({ company }: Props) {
  const { t } = useTranslation('apiKeys');
  const query = keysQuery(company?.id);
  const whose = company ? 'company' : 'own';
  const names = { name: company?.name ?? '' };
  const { data: keys, error, refetch } = useQuery(query);
  const [made, setMade] = useState<string>();
  const [ending, setEnding] = useState<ApiKey>();
  if (error) return <ErrorPanel onRetry={() => void refetch()} />;
  if (!keys) return <Loader />;
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm">
        {t(`lead.${whose}`, names)} <ReferenceLink />
      </Text>
      {made ? (
        <NewKey text={made} onDone={() => setMade(undefined)} />
      ) : (
        <KeyForm company={company?.id} onMade={setMade} />
      )}
      {keys.length === 0 ? (
        <Text size="sm">{t(`none.${whose}`)}</Text>
      ) : (
        <ul className={styles.list} aria-label={t(`list.${whose}`, names)}>
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} onEnd={() => setEnding(key)} />
          ))}
        </ul>
      )}
      {ending && (
        <ConfirmModal
          title={t('confirm', { name: ending.name })}
          text={t('confirmText')}
          confirm={t('end')}
          danger
          act={() => endKey(company?.id, ending.id)}
          done={t('ended')}
          changes={[query.queryKey]}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Stack>
  );
}

/** Name, scopes and life of a new key. */
function KeyForm({ company, onMade }: { company: number | undefined; onMade(key: string): void }) {
  const { t } = useTranslation('apiKeys');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly KeyScope[]>(['lists']);
  const [life, setLife] = useState<Life>('year');
  const making = useMutation({
    mutationFn: () => makeKey(company, { name: name.trim(), scopes, days: LIVES[life] }),
    onSuccess: onMade,
    onError: (failure) => toast.error(t('failed'), errorText(failure, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: keysQuery(company).queryKey }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    making.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label={t('name')}
          description={t('nameHint')}
          maxLength={LONGEST_NAME}
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <Checkbox.Group
          label={t('scopes')}
          value={[...scopes]}
          onChange={(values) => setScopes(SCOPES.filter((scope) => values.includes(scope)))}
        >
          <Stack gap="xs" mt="xs">
            {SCOPES.map((scope) => (
              <Checkbox key={scope} value={scope} label={t(`scope.${scope}`)} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group align="flex-end" justify="space-between">
          <Select
            label={t('days')}
            allowDeselect={false}
            data={(Object.keys(LIVES) as Life[]).map((one) => ({ value: one, label: t(`day.${one}`) }))}
            value={life}
            onChange={(value) => setLife((value ?? 'year') as Life)}
          />
          <Button type="submit" loading={making.isPending} disabled={name.trim() === '' || scopes.length === 0}>
            {t('make')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The new key, to be copied now. */
function NewKey({ text, onDone }: { text: string; onDone(): void }) {
  const { t } = useTranslation('apiKeys');
  const call = `curl -H "Authorization: Bearer ${text}" "${window.location.origin}/api/monitoring/domains"`;
  return (
    <ShownOnce
      secret={text}
      title={t('made')}
      label={t('key')}
      copyLabel={t('copy')}
      doneLabel={t('done')}
      onDone={onDone}
    >
      <Text size="sm">{t('example')}</Text>
      <Code block className={styles.call ?? ''}>
        {call}
      </Code>
    </ShownOnce>
  );
}

/** One key: its name, what it opens, and when it was used. */
function KeyRow({ apiKey, onEnd }: { apiKey: ApiKey; onEnd(): void }) {
  const { t } = useTranslation('apiKeys');
  const formats = useFormats();
  const { name, hint, scopes, created, lastUsed, expires } = apiKey;
  const opened = SCOPES.filter((scope) => scopes.includes(KEY_SCOPES[scope]));
  return (
    <li className={styles.entry}>
      <IconKey size={22} className={styles.icon} aria-hidden />
      <div className={styles.about}>
        <div className={styles.name}>{name}</div>
        <div className={styles.times}>{opened.map((scope) => t(`scope.${scope}`)).join(' · ')}</div>
        <div className={styles.times}>
          {t('ending', { hint, at: formats.date(created) })}
          {expires && ` · ${t('until', { at: formats.date(expires) })}`} ·{' '}
          {lastUsed ? t('used', { ago: formats.ago(lastUsed, new Date()) }) : t('unused')}
        </div>
      </div>
      <Button variant="subtle" color="red" size="compact-sm" aria-label={t('endNamed', { name })} onClick={onEnd}>
        {t('end')}
      </Button>
    </li>
  );
}
