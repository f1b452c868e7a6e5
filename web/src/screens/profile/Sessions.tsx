import { Badge, Button, Group, Loader, Text } from '@mantine/core';
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { endOtherSessions, endSession, type OwnSession, sessionsQuery } from '~/api/queries/account';
import styles from '~/ui/entries.module.css';
import { errorText } from '~/ui/errorText';
import { ErrorPanel } from '~/ui/feedback';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';

/** The user's sessions; all except the current one can be ended, one by one or together. Toasts show the outcome, and the list reloads. */
export function Sessions() {
  const { t } = useTranslation('profile');
  const common = useTranslation('common').t;
  const queries = useQueryClient();
  const { data: sessions, error, refetch } = useQuery(sessionsQuery);

  const feedback = (successText: string) => ({
    onSuccess: () => toast.success(successText),
    onError: (failure: Error) => toast.error(errorText(failure, common)),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  const end = useMutation({ mutationFn: endSession, ...feedback(t('sessions.ended')) });
  const endOthers = useMutation({ mutationFn: endOtherSessions, ...feedback(t('sessions.endedOthers')) });

  if (error) return <ErrorPanel onRetry={() => void refetch()} />;
  if (!sessions) return <Loader />;
  return (
    <>
      <Text c="dimmed" size="sm" mb="md">
        {t('sessions.lead')}
      </Text>
      <ul className={styles.list} aria-label={t('sessions.list')}>
        {sessions.map((session) => (
          <Session
            key={session.id}
            session={session}
            ending={end.isPending && end.variables === session.id}
            onEnd={() => end.mutate(session.id)}
          />
        ))}
      </ul>
      {sessions.length > 1 && (
        <Group justify="flex-end" mt="md">
          <Button variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t('sessions.endOthers')}
          </Button>
        </Group>
      )}
    </>
  );
}

interface RowProps {
  session: OwnSession;
  ending: boolean;
  onEnd: () => void;
}

/** One session: device, sign-in and last use. All but the current one have a button that calls `onEnd`; `ending` shows it as busy. */
function Session({ session, ending, onEnd }: RowProps) {
  const { t } = useTranslation('profile');
  const formats = useFormats();
  const { program, system } = session;
  const device = program && system ? t('sessions.device', { program, system }) : (program ?? system);
  const name = device ?? t('sessions.unknown');
  const at = formats.dateTime(session.created);
  const Icon = session.handheld ? IconDeviceMobile : IconDeviceDesktop;
  return (
    <li className={styles.entry}>
      <Icon size={22} className={styles.icon} aria-hidden />
      <div className={styles.about}>
        <div className={styles.name}>
          {name} {session.current && <Badge variant="light">{t('sessions.current')}</Badge>}
        </div>
        <div className={styles.times}>
          {t('sessions.signedIn', { at })} ·{' '}
          {session.lastUsed
            ? t('sessions.used', { ago: formats.ago(session.lastUsed, new Date()) })
            : t('sessions.unused')}
        </div>
      </div>
      {!session.current && (
        <Button
          variant="subtle"
          color="red"
          size="compact-sm"
          loading={ending}
          aria-label={t('sessions.endNamed', { device: name, at })}
          onClick={onEnd}
        >
          {t('sessions.end')}
        </Button>
      )}
    </li>
  );
}
